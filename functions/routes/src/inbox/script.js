// Keeps the list fresh and answers by keyboard. Everything works without it, after a reload.
"use strict";
(() => {
  const list = document.getElementById("lots");
  if (!list) return;
  const news = document.getElementById("news");
  const title = document.title;
  const pauseMilliseconds = 3000;
  let tag = null;

  const lots = () => [...list.querySelectorAll("article.lot")];
  const typing = () => list.contains(document.activeElement) && /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName);
  // What somebody wrote or opened is not thrown away by a fresh list.
  const busy = () => typing() || [...list.querySelectorAll("textarea, input:not([type=hidden])")].some((it) => it.checked || (it.type !== "checkbox" && it.value));

  function show(html) {
    const known = new Set(lots().map((it) => it.id));
    const open = new Set([...list.querySelectorAll("details[open]")].map((it) => it.closest("article").id + it.querySelector("summary").textContent));
    const focused = document.activeElement.closest ? document.activeElement.closest("article.lot") : null;
    const fresh = new DOMParser().parseFromString(html, "text/html");
    list.replaceChildren(...fresh.body.childNodes);
    for (const it of list.querySelectorAll("details")) {
      it.open = open.has(it.closest("article").id + it.querySelector("summary").textContent);
    }
    if (focused) (document.getElementById(focused.id) || list.querySelector("article.lot") || document.getElementById("content")).focus();
    const added = lots().filter((it) => !known.has(it.id)).length;
    const gone = [...known].filter((id) => !document.getElementById(id)).length;
    const words = [];
    if (added) words.push(added === 1 ? "1 new request" : added + " new requests");
    if (gone) words.push(gone === 1 ? "1 request is closed" : gone + " requests are closed");
    if (words.length) news.textContent = words.join(", ");
    count();
  }

  function count() {
    const waiting = lots().length;
    document.title = waiting ? "(" + waiting + ") " + title : title;
  }

  async function refresh() {
    if (document.hidden || busy()) return;
    try {
      const answer = await fetch(list.dataset.live, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
      if (answer.status === 401) return location.reload();
      if (answer.status !== 200) return;
      tag = answer.headers.get("ETag");
      show(await answer.text());
    } catch {
      // The server is away; the next look may find it.
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    const all = lots();
    const current = event.target.closest ? event.target.closest("article.lot") : null;
    if (event.key === "j" || event.key === "k") {
      const step = event.key === "j" ? 1 : -1;
      const next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(current) + step))];
      if (next) { next.focus(); event.preventDefault(); }
    } else if (/^[1-9]$/.test(event.key) && current) {
      const option = current.querySelector('[data-digit="' + event.key + '"]');
      if (option) { event.preventDefault(); option.click(); }
    }
  });
  document.addEventListener("visibilitychange", refresh);
  count();
  setInterval(refresh, pauseMilliseconds);
})();
