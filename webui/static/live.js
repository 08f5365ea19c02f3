"use strict";
/* The live match page: asks for news, shows the newest picture with outlines, sends commands once, never shows old news as new. */
(() => {
  const root = document.getElementById("match");
  const toast = document.getElementById("toast");
  const offline = document.getElementById("offline");
  const token = document.querySelector("meta[name=token]").content;
  const NS = "http://www.w3.org/2000/svg";
  let toastTimer = 0;

  function say(text, kind) {
    toast.textContent = text;
    toast.className = "notice " + (kind || "");
    toast.hidden = false;
    clearTimeout(toastTimer);
    toastTimer = setTimeout(() => { toast.hidden = true; }, 9000);
  }

  function pause(ms) { return new Promise((done) => setTimeout(done, ms)); }

  async function get(url, seconds) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), seconds * 1000);
    try {
      return await fetch(url, { cache: "no-store", credentials: "same-origin", signal: stop.signal });
    } finally {
      clearTimeout(timer);
    }
  }

  /* Dialogs: a link with data-dialog opens its page's main part over this one; without script it is a page of its own. */
  let opener = null;
  function closeDialog() {
    const open = document.querySelector("dialog[open]");
    if (open) { open.close(); open.remove(); }
    if (opener && opener.isConnected) opener.focus();
    opener = null;
  }
  async function openDialog(link) {
    const answer = await get(link.href, 10);
    if (!answer.ok) { location.href = link.href; return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const part = page.querySelector("main");
    const dialog = document.createElement("dialog");
    const close = document.createElement("button");
    close.type = "button";
    close.className = "button close";
    close.textContent = document.body.dataset.close;
    close.addEventListener("click", closeDialog);
    dialog.append(close, ...part.childNodes);
    const title = dialog.querySelector("h1, h2");
    if (title) { title.id = "dialog-title"; dialog.setAttribute("aria-labelledby", "dialog-title"); }
    document.body.append(dialog);
    opener = link;
    dialog.addEventListener("close", () => { dialog.remove(); if (opener && opener.isConnected) opener.focus(); });
    dialog.showModal();
  }
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-dialog]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    openDialog(link).catch(() => { location.href = link.href; });
  });

  /* Choosing a photo sends it. */
  document.addEventListener("change", (event) => {
    if (event.target.matches("input[type=file][data-send]") && event.target.files.length) event.target.form.requestSubmit();
  });

  /* Where a form says itself what is missing, the browser's bubble would only cover that. */
  document.addEventListener("invalid", (event) => {
    const form = event.target.form;
    if (!form || !form.querySelector(".missing")) return;
    event.preventDefault();
    const first = form.querySelector("input:invalid");
    if (first) first.focus();
  }, true);

  if (!root) return;

  const stage = document.getElementById("stage");
  const bar = document.getElementById("statebar");
  const screen = document.getElementById("screen");
  const picture = document.getElementById("picture");
  const overlay = document.getElementById("overlay");
  const age = document.getElementById("age");
  const empty = document.getElementById("empty");
  const drawn = new Map();
  let version = -1;
  let shown = root.dataset.stage;
  let seq = Number(root.dataset.seq);
  let lastNews = performance.now();
  let sending = false;
  let awaited = { seq: 0, until: 0 };
  let wake = null;
  let hasPicture = false;

  function setOffline(is) {
    if (is === !offline.hidden) return;
    offline.hidden = !is;
    root.classList.toggle("busy", is);
    if (is) screen.classList.add("old");
    for (const button of root.querySelectorAll("form button")) button.disabled = is;
  }

  /* A part without a box of its own, whose children stand among others on a phone, is entered at its panel. */
  function head(part) {
    if (getComputedStyle(part).display !== "contents") return part;
    const panel = part.querySelector(".panel") || part.firstElementChild || part;
    panel.tabIndex = -1;
    return panel;
  }
  /* What was tapped is gone: whoever tapped it sees the beginning of what stands there now. */
  function bringIn(at) {
    const top = at.getBoundingClientRect().top;
    const hidden = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0; // by the bar that stays above
    if (top < hidden || top > 0.8 * window.innerHeight) at.scrollIntoView({ block: "start" });
  }
  function replace(part, html) {
    const focus = document.activeElement && part.contains(document.activeElement) ? document.activeElement.id : null;
    const typed = new Map();
    for (const field of part.querySelectorAll("input[type=number], input[type=text]")) {
      if (field.id && field.dataset.touched) typed.set(field.id, field.value);
    }
    const open = new Set([...part.querySelectorAll("details[open][id]")].map((d) => d.id));
    part.innerHTML = html;
    for (const [id, value] of typed) {
      const field = document.getElementById(id);
      if (field) { field.value = value; field.dataset.touched = "1"; }
    }
    for (const id of open) { const d = document.getElementById(id); if (d) d.open = true; }
    if (focus !== null) {
      const again = focus && document.getElementById(focus);
      const at = again || head(part);
      at.focus({ preventScroll: true });
      if (!again) bringIn(at);
    }
  }
  root.addEventListener("input", (event) => { event.target.dataset.touched = "1"; });
  document.addEventListener("input", (event) => { if (event.target.form) event.target.form.classList.remove("done"); });

  function drawOverlay(news) {
    const size = news.picture_size;
    if (!size) { overlay.replaceChildren(); return; }
    overlay.setAttribute("viewBox", `0 0 ${size[0]} ${size[1]}`);
    const names = !document.getElementById("names") || document.getElementById("names").checked;
    const parts = [];
    for (const card of names ? news.cards : []) {
      const group = document.createElementNS(NS, "g");
      group.setAttribute("class", [card.kind, card.mark].filter(Boolean).join(" "));
      const points = card.quad.map((p) => p.join(",")).join(" ");
      for (const kind of ["halo", "edge"]) {
        const shape = document.createElementNS(NS, "polygon");
        shape.setAttribute("class", kind);
        shape.setAttribute("points", points);
        group.append(shape);
      }
      if (card.label) {
        const text = document.createElementNS(NS, "text");
        text.textContent = card.label;
        group.append(text);
      }
      parts.push(group);
    }
    overlay.replaceChildren(...parts);
    window.layLabels(overlay);
  }

  /* For a moment after the buttons have changed a tap is ignored: it was meant for what stood there before. */
  let settling = 0;
  function settle() {
    stage.setAttribute("aria-busy", "true");
    clearTimeout(settling);
    settling = setTimeout(() => stage.removeAttribute("aria-busy"), 400);
  }

  let lastState = null;
  function take(news) {
    lastNews = performance.now();
    setOffline(false);
    version = news.version;
    seq = news.seq;
    if (lastState !== news.word + news.hint) {
      lastState = news.word + news.hint;
      bar.dataset.state = news.state;
      bar.querySelector("use").setAttribute("href", news.icon);
      bar.querySelector("strong").textContent = news.word;
      bar.querySelector(".hint").textContent = news.hint;
    }
    if (news.stage !== shown && news.parts.stage) {
      shown = news.stage;
      for (const [place, html] of Object.entries(news.parts)) {
        const part = document.getElementById(place);
        // A part that says the same stays: whoever reads it or has it under the finger is not disturbed.
        if (part && drawn.get(place) !== html) replace(part, html);
        drawn.set(place, html);
      }
      settle();
      root.className = news.layout;
      if (news.announce) document.getElementById("announce").textContent = news.announce;
    }
    drawOverlay(news);
    const old = news.picture_age_s !== null && news.picture_age_s > 4;
    screen.classList.toggle("old", old);
    age.hidden = !old;
    if (old) age.textContent = news.picture_age;
    hasPicture = news.has_picture;
    empty.hidden = hasPicture;
    picture.hidden = !hasPicture || !picture.hasAttribute("src");
  }

  async function listen() {
    for (;;) {
      try {
        const answer = await get(`${root.dataset.news}?after=${version}&stage=${encodeURIComponent(shown)}`, 9);
        if (answer.status === 403) { location.reload(); return; }
        if (!answer.ok) throw new Error(String(answer.status));
        const news = await answer.json();
        if (news.go) { location.href = news.go; return; }
        if (news.program !== root.dataset.program || news.here !== (root.dataset.here === "yes")) { location.reload(); return; }
        take(news);
        if (news.pause_ms) await Promise.race([pause(news.pause_ms), new Promise((go) => { wake = go; })]);
      } catch (error) {
        setOffline(true);
        await pause(1200);
      }
    }
  }

  /* The newest picture, one request at a time; a hidden page asks for none, nor does one to which none ever came. */
  async function watch() {
    let number = -1;
    for (;;) {
      if (document.hidden || !offline.hidden || !hasPicture) { await pause(hasPicture ? 700 : 200); continue; }
      try {
        const answer = await get(`${root.dataset.picture}?after=${number}`, 12);
        if (answer.status === 200) {
          number = Number(answer.headers.get("X-Picture"));
          const before = picture.src;
          picture.src = URL.createObjectURL(await answer.blob());
          await picture.decode().catch(() => undefined);
          picture.hidden = !hasPicture;
          if (before.startsWith("blob:")) URL.revokeObjectURL(before);
          await pause(90);
        } else {
          await pause(answer.status === 204 ? 150 : 2000);
        }
      } catch (error) {
        await pause(1500);
      }
    }
  }

  /* A command carries the number of the event that the person had before their eyes, and a name of its own: a second
     tap is refused, and a repeated post after a lost answer does nothing. */
  async function send(form, button) {
    if (sending || (seq < awaited.seq && performance.now() < awaited.until)) return;
    sending = true;
    const data = new FormData(form, button);
    if (!form.dataset.keepSeq) data.set("seq", String(seq));
    data.set("command_id", crypto.randomUUID ? crypto.randomUUID() : String(Math.random()).slice(2) + Date.now());
    root.classList.add("busy");
    const photo = form.querySelector("input[type=file]");
    const looking = photo && photo.files.length ? root.dataset.looking : "";
    if (looking) { say(looking, ""); clearTimeout(toastTimer); }
    try {
      for (let attempt = 0; ; attempt += 1) {
        try {
          const answer = await fetch(form.action, {
            method: "POST", body: data, credentials: "same-origin",
            headers: { Accept: "application/json", "X-Referee-Token": token },
          });
          const result = await answer.json();
          if (result.message) say(result.message, answer.ok ? "good" : "bad");
          if (answer.ok) {
            if (form.dataset.stay === undefined) closeDialog();
            else form.classList.add("done");
            // Until the page shows what the tap did, another one is the same tap again.
            awaited = { seq: result.seq, until: performance.now() + 3000 };
          }
          if (answer.ok && result.go) location.href = result.go;
          break;
        } catch (error) {
          if (attempt >= 5) { say(root.dataset.lost, "bad"); break; }
          setOffline(true);
          await pause(1000);
        }
      }
    } finally {
      root.classList.remove("busy");
      sending = false;
      if (looking && toast.textContent === looking) toast.hidden = true;
      if (wake) wake();
      if (form.querySelector("input[type=file]")) form.reset();
    }
  }
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.method.toLowerCase() !== "post" || form.dataset.plain !== undefined) return;
    event.preventDefault();
    if (stage.hasAttribute("aria-busy") && stage.contains(form)) return;
    send(form, event.submitter);
  });

  /* Keys: 1 to 4 call, others as their buttons say. They can be switched off, for those who dictate or use other tools. */
  const keys = document.getElementById("keys");
  try { keys.checked = localStorage.getItem("keys") !== "off"; } catch (error) { /* no storage: keys stay on */ }
  function keysChanged() {
    document.body.classList.toggle("no-keys", !keys.checked);
    try { localStorage.setItem("keys", keys.checked ? "on" : "off"); } catch (error) { /* as above */ }
  }
  keys.addEventListener("change", keysChanged);
  keysChanged();
  document.addEventListener("keydown", (event) => {
    if (!keys.checked || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.closest("input:not([type=checkbox]):not([type=radio]), select, textarea") || document.querySelector("dialog[open]")) return;
    const key = event.key.toLowerCase();
    const target = [...root.querySelectorAll("[data-key]")].find((b) => b.dataset.key === key && !b.disabled && !b.closest("details:not([open])"));
    if (!target) return;
    event.preventDefault();
    target.focus();
    target.click();
  });

  const names = document.getElementById("names");
  if (names) names.addEventListener("change", () => { version = -1; if (wake) wake(); });
  setInterval(() => { if (performance.now() - lastNews > 8000) setOffline(true); }, 1000);
  document.addEventListener("visibilitychange", () => { if (!document.hidden && performance.now() - lastNews > 8000) setOffline(true); });
  listen();
  watch();
})();
