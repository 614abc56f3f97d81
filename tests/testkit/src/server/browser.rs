//! A browser without scripts: what people reach with a cookie.

use super::{Answer, Client, Served};

/// A browser with its cookie.
#[derive(Clone)]
pub struct Browser {
    /// Without a key.
    pub client: Client,
    /// What it was given, once it was.
    pub cookie: Option<String>,
}

impl Browser {
    /// That nobody has signed in.
    pub fn new(served: &Served) -> Self {
        Self { client: served.client.with_key(None), cookie: None }
    }

    /// That the machine's person has signed in.
    pub async fn signed_in(served: &Served) -> Self {
        let mut browser = Self::new(served);
        let answer = browser.sign_in("key", served.ready["human_key"].as_str().expect("no human key")).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        browser
    }

    /// Sends the form that signs in.
    pub async fn sign_in(&mut self, field: &str, value: &str) -> Answer {
        let answer = self.post("sign-in", &[(field, value)]).await;
        let cookie = answer.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
        self.cookie = Some(cookie).filter(|it| !it.is_empty());
        answer
    }

    /// A request for a path below `/inbox`.
    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        let request = self.client.request(method, &format!("{}/inbox{path}", self.client.origin()));
        match &self.cookie {
            Some(cookie) => request.header("cookie", cookie),
            None => request,
        }
    }

    /// Reads a page.
    pub async fn get(&self, path: &str) -> Answer {
        self.client.send(self.request("GET", path)).await
    }

    /// Sends a form.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.client.send(form(self.request("POST", &format!("/{path}")), fields)).await
    }

    /// Sends a form as the page has it.
    pub async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.form_token().await;
        self.post(path, &[fields, &[("form_token", token.as_str())]].concat()).await
    }

    /// What the page's forms carry.
    pub async fn form_token(&self) -> String {
        let page = self.get("").await.text;
        let rest = page.split("name=\"form_token\" value=\"").nth(1).expect("no form");
        rest.split('"').next().unwrap_or_default().to_owned()
    }
}

/// A request with the fields of a form.
pub fn form(request: reqwest::RequestBuilder, fields: &[(&str, &str)]) -> reqwest::RequestBuilder {
    let body = serde_urlencoded::to_string(fields).expect("no form");
    request.header("content-type", "application/x-www-form-urlencoded").body(body)
}
