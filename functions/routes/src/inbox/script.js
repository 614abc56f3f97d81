// Keeps a page's live part fresh and answers by keyboard. Everything works without it, after a reload.
"use strict";
(() => {
  const part = document.querySelector("[data-live]");
  if (!part) return;
  const news = document.getElementById("news");
  const title = document.title;
  const pauseMilliseconds = 3000;
  let tag = null;

  const lots = () => [...part.querySelectorAll("article.lot")];
  const typing = () => part.contains(document.activeElement) && /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName);
  const selecting = () => !getSelection().isCollapsed && part.contains(getSelection().anchorNode);
  // What somebody wrote, chose or opened is not thrown away by a fresh part.
  const busy = () => typing() || selecting() || [...part.querySelectorAll("textarea, input:not([type=hidden])")].some((it) => it.checked || (it.type !== "checkbox" && it.value));
  const details = () => [...part.querySelectorAll("details")];
  const nameOf = (it) => it.id || it.closest("article").id + it.querySelector("summary").textContent;

  function show(html) {
    const known = new Set(lots().map((it) => it.id));
    const told = said();
    const open = new Map(details().map((it) => [nameOf(it), it.open]));
    const active = document.activeElement;
    const focused = part.contains(active) && active !== part ? active.closest("[id]") : null;
    const fresh = new DOMParser().parseFromString(html, "text/html");
    part.replaceChildren(...fresh.body.childNodes);
    for (const it of details()) if (open.has(nameOf(it))) it.open = open.get(nameOf(it));
    if (focused && focused !== part) refocus(focused.id);
    const words = [...changes(known), ...said().filter((it) => !told.includes(it))];
    if (words.length) news.textContent = words.join(", ");
    count();
  }

  function refocus(id) {
    const same = document.getElementById(id) || part.querySelector("article.lot") || document.getElementById("content");
    (same.tagName === "DETAILS" ? same.querySelector("summary") : same).focus();
  }

  const said = () => [...part.querySelectorAll("[data-news]")].map((it) => it.textContent);

  function changes(known) {
    const added = lots().filter((it) => !known.has(it.id)).length;
    const gone = [...known].filter((id) => !document.getElementById(id)).length;
    const words = [];
    if (added) words.push(added === 1 ? "1 new request" : added + " new requests");
    if (gone) words.push(gone === 1 ? "1 request is closed" : gone + " requests are closed");
    return words;
  }

  function count() {
    const waiting = lots().length;
    document.title = waiting ? "(" + waiting + ") " + title : title;
  }

  async function refresh() {
    if (document.hidden || busy()) return;
    try {
      const answer = await fetch(part.dataset.live, { headers: tag ? { "If-None-Match": tag } : {}, cache: "no-store" });
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
