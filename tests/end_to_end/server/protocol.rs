//! MCP in both of its eras.

use prevet_testkit::server::{Era, MODERN_VERSION, patch};
use serde_json::{Value, json};

use crate::{BUG, serve};

#[tokio::test]
async fn initialize_in_every_version() {
    let served = serve().await;
    for era in [Era::Legacy("2025-03-26"), Era::Legacy("2025-06-18"), Era::Legacy("2025-11-25")] {
        let answer = served.client.rpc(era, "initialize", &era.initialize()).await;
        let result = answer.expect(200)["result"].clone();
        assert_eq!(result["protocolVersion"], era.version());
        assert_eq!(result["serverInfo"]["name"], "prevet");
        assert!(result["capabilities"]["tools"].is_object(), "{result}");
        assert!(result["instructions"].as_str().unwrap().contains("POST /session"));
        // There is no protocol session to keep.
        assert_eq!(answer.header("mcp-session-id"), "");
        let initialized = served.client.rpc_request(era, "notifications/initialized", &json!({}));
        let body = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let answer = served.client.send(initialized.json(&body)).await;
        assert_eq!((answer.status, answer.text.as_str()), (202, ""));
        let ping = served.client.rpc(era, "ping", &json!({})).await;
        assert_eq!(ping.expect(200)["result"], json!({}));
    }
    let unknown = Era::Legacy("1999-01-01");
    let request = served.client.rpc_request(Era::Legacy("2025-11-25"), "initialize", &unknown.initialize());
    let answer = served.client.send(request).await.expect(200);
    assert!(answer["result"]["protocolVersion"].as_str().unwrap() >= "2025-11-25", "{answer}");
}

#[tokio::test]
async fn discover_in_the_modern_era() {
    let served = serve().await;
    let answer = served.client.rpc(Era::Modern, "server/discover", &json!({})).await.expect(200);
    let result = &answer["result"];
    for version in ["2025-06-18", "2025-11-25", MODERN_VERSION] {
        assert!(result["supportedVersions"].as_array().unwrap().contains(&json!(version)), "{result}");
    }
    assert!(result["capabilities"]["tools"].is_object());
    assert_eq!(result["resultType"], "complete");
}

#[tokio::test]
async fn the_tool_is_described() {
    let served = serve().await;
    for era in Era::ALL {
        let answer = served.client.rpc(era, "tools/list", &json!({})).await.expect(200);
        let tools = answer["result"]["tools"].as_array().unwrap();
        let all: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
        let decisions = ["lookup_decision", "request_decision", "share_context"];
        assert_eq!(all, [&["inspect_diff", "describe_change", "ask", "check_task"][..], &decisions].concat());
        let tool = &tools[0];
        assert_eq!(tool["name"], "inspect_diff");
        let description = tool["description"].as_str().unwrap();
        assert!(description.len() < 2_048 && description.contains("session_id"), "{description}");
        let annotations = json!({
            "title": tool["annotations"]["title"], "readOnlyHint": true, "destructiveHint": false,
            "idempotentHint": true, "openWorldHint": false,
        });
        assert_eq!(tool["annotations"], annotations);
        check_schemas(tool);
    }
}

fn check_schemas(tool: &Value) {
    let input = &tool["inputSchema"];
    assert_eq!(input["type"], "object");
    assert_eq!(input["required"], json!(["session_id"]));
    for (name, default) in [("intent", json!("")), ("profile", json!("inspect")), ("context", json!(null))] {
        assert_eq!(input["properties"][name]["default"], default, "{name}");
        assert!(input["properties"][name]["description"].is_string());
    }
    let output = &tool["outputSchema"];
    assert!(!tool.to_string().contains("\"uint"), "a format that no validator knows");
    assert_eq!(output["type"], "object");
    for name in ["verdict", "findings", "profile", "session_id"] {
        assert!(output["required"].as_array().unwrap().contains(&json!(name)), "{name}");
    }
    for name in
        ["counts", "fixed", "degraded", "context_refresh", "secret_scan", "compiler_check", "cached", "more"]
    {
        assert!(output["properties"][name].is_object(), "{name}");
        assert!(!output["required"].as_array().unwrap().contains(&json!(name)), "{name}");
    }
}

#[tokio::test]
async fn the_tool_is_called_in_both_eras() {
    let served = serve().await;
    let id = served.client.open_with("widgets", patch::added("a.py", BUG)).await;
    for era in Era::ALL {
        let params = json!({ "name": "inspect_diff", "arguments": { "session_id": id } });
        let answer = served.client.rpc(era, "tools/call", &params).await;
        assert!(answer.header("content-type").starts_with("application/json"));
        assert_eq!(answer.json()["id"], 7);
        assert_eq!(answer.tool()["verdict"], "request_changes");
        if era == Era::Modern {
            assert_eq!(answer.json()["result"]["resultType"], "complete");
        }
    }
}

#[tokio::test]
async fn any_accept_will_do() {
    let served = serve().await;
    let client = &served.client;
    let id = client.open_with("widgets", patch::added("a.py", BUG)).await;
    let accepts = [
        Some("*/*"),
        Some("application/json"),
        Some("application/json, text/event-stream"),
        Some("text/event-stream"),
        Some("application/*"),
        Some("text/event-stream;q=0, application/json"),
        None,
    ];
    for era in Era::ALL {
        for accept in accepts {
            let params = json!({ "name": "inspect_diff", "arguments": { "session_id": id } });
            let (headers, body) = era.request("tools/call", &params);
            let mut request = client.request("POST", &client.url).json(&body);
            for (name, value) in headers.into_iter().filter(|(name, _)| *name != "accept") {
                request = request.header(name, value);
            }
            let request = match accept {
                Some(accept) => request.header("accept", accept),
                None => request,
            };
            assert_eq!(client.send(request).await.tool()["verdict"], "request_changes", "{accept:?}");
        }
    }
}

#[tokio::test]
async fn progress_comes_as_a_stream_to_whoever_asks() {
    let served = serve().await;
    let id = served.client.open_with("widgets", patch::added("a.py", BUG)).await;
    for era in Era::ALL {
        for token in [json!("token-1"), json!(17)] {
            let params = json!({
                "name": "inspect_diff", "arguments": { "session_id": id }, "_meta": { "progressToken": token },
            });
            let answer = served.client.rpc(era, "tools/call", &params).await;
            assert!(answer.header("content-type").starts_with("text/event-stream"), "{}", answer.text);
            let messages = answer.messages();
            assert_eq!(messages[0]["method"], "notifications/progress");
            assert_eq!(messages[0]["params"]["progressToken"], token);
            assert!(messages[0]["params"]["message"].is_string());
            assert_eq!(answer.tool()["verdict"], "request_changes");
        }
    }
}

#[tokio::test]
async fn an_unknown_tool_is_a_protocol_error() {
    let served = serve().await;
    for era in Era::ALL {
        let answer = served.client.rpc(era, "tools/call", &json!({ "name": "nope", "arguments": {} })).await;
        let error = &answer.json()["error"];
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().unwrap().contains("nope"), "{error}");
        let answer = served.client.rpc(era, "nope/nope", &json!({})).await;
        assert_eq!(answer.json()["error"]["code"], -32601, "{}", answer.text);
    }
}

#[tokio::test]
async fn malformed_messages_are_json_rpc_errors() {
    let served = serve().await;
    let client = &served.client;
    let cases = [
        ("", -32700),
        ("{bad", -32700),
        ("\u{feff}{}", -32700),
        ("[]", -32600),
        ("[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
        ("{}", -32600),
        ("5", -32600),
        ("null", -32600),
        ("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", -32600),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}", -32600),
        (
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"inspect_diff\",\"arguments\":5}}",
            -32602,
        ),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{}}", -32602),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}", -32602),
    ];
    for (body, code) in cases {
        let request = client.request("POST", &client.url).header("content-type", "application/json");
        let answer = client.send(request.body(body.to_owned())).await;
        let message = answer.expect(400);
        assert_eq!(
            (&message["error"]["code"], &message["jsonrpc"]),
            (&json!(code), &json!("2.0")),
            "{body}: {message}"
        );
        assert_eq!(message["id"], if code == -32602 { json!(1) } else { json!(null) }, "{body}");
        assert!(answer.header("content-type").starts_with("application/json"));
    }
    let deep = "[".repeat(200_000);
    let request = client.request("POST", &client.url).header("content-type", "application/json").body(deep);
    assert_eq!(client.send(request).await.expect(400)["error"]["code"], -32700);
}

#[tokio::test]
async fn modern_headers_that_contradict_the_body_are_refused() {
    let served = serve().await;
    let client = &served.client;
    let params = json!({ "name": "inspect_diff", "arguments": { "session_id": "x" } });
    for (name, value) in [("mcp-method", "tools/list"), ("mcp-name", "other")] {
        let (headers, body) = Era::Modern.request("tools/call", &params);
        let mut request = client.request("POST", &client.url).json(&body);
        for (known, right) in headers {
            request = request.header(known, if known == name { value.to_owned() } else { right });
        }
        assert_eq!(client.send(request).await.expect(400)["error"]["code"], -32020);
    }
    let legacy = Era::Legacy("2025-11-25");
    let (_, body) = legacy.request("tools/list", &json!({}));
    let request =
        client.request("POST", &client.url).header("mcp-protocol-version", "1999-01-01").json(&body);
    assert!(client.send(request).await.status >= 400);
    // No header at all is the oldest version, as the specification has it.
    let request = client.request("POST", &client.url).json(&body);
    assert_eq!(client.send(request).await.expect(200)["result"]["tools"][0]["name"], "inspect_diff");
}
