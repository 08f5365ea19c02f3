"use strict";
/* A copy is learned: photos are sent one after the other, and how far reading is, is told while it goes on. */
(() => {
  const box = document.getElementById("copy");
  if (!box) return;
  const form = document.getElementById("copy-send");
  const line = document.getElementById("copy-sending");
  const token = document.querySelector("meta[name=token]").content;

  function anew() {
    history.replaceState(null, "", window.location.pathname);
    window.location.reload();
  }
  async function send(body) {
    const answer = await fetch(form.action, {
      method: "POST", body, credentials: "same-origin", headers: { Accept: "application/json", "X-Referee-Token": token },
    });
    const told = await answer.json().catch(() => ({}));
    return told.refused || (answer.ok ? [] : [told.message || String(answer.status)]);
  }

  form.addEventListener("submit", async (event) => {
    const files = [...form.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files].map((file) => [input.name, file]));
    if (!files.length) return;
    event.preventDefault();
    const button = form.querySelector("button");
    button.disabled = true;
    line.hidden = false;
    const refused = [];
    for (const [n, [name, file]] of files.entries()) {
      line.textContent = line.dataset.words.replace("{n}", n + 1).replace("{all}", files.length);
      const body = new FormData();
      body.append(name, file, file.name);
      try {
        refused.push(...await send(body));
      } catch (error) {
        refused.push(`${file.name}: ${error.message}`);
      }
    }
    const last = new FormData();
    last.append("read", "yes");
    try { await send(last); } catch { /* the page tells that the program is gone */ }
    if (refused.length) {
      line.textContent = refused.join(" ");
      line.className = "notice bad";
      button.disabled = false;
      form.reset();
      box.dataset.stage = "reading";
      box.dataset.stay = "yes";
      look();
    } else {
      anew();
    }
  });

  async function look() {
    try {
      const answer = await fetch(box.dataset.state, { credentials: "same-origin", headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const told = await answer.json();
      document.getElementById("copy-sentence").textContent = told.sentence;
      const bar = document.getElementById("copy-bar");
      bar.hidden = !told.running;
      bar.value = told.done;
      const left = document.getElementById("copy-left");
      left.hidden = !told.running;
      left.textContent = told.left;
      if (!told.running) {
        if (!box.dataset.stay) anew();
        return;
      }
    } catch {
      // the program is busy or gone: asked again
    }
    setTimeout(look, 500);
  }
  if (box.dataset.stage === "reading") look();
})();
(() => {
  /* Which step is open is kept in the address, and what was chosen or written and not sent yet in this window: neither is lost
     when the page is loaded again. */
  const box = document.getElementById("copy");
  if (!box) return;
  const steps = [...box.querySelectorAll("details.copy-step")];

  function reveal() {
    const target = window.location.hash.length > 1 && document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
    if (!target || !box.contains(target)) return;
    for (let at = target; at && at !== box; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView({ block: "start" });
  }
  for (const step of steps) {
    step.firstElementChild.addEventListener("click", () => {
      history.replaceState(null, "", step.open ? window.location.pathname : `#${step.id}`);
    });
    step.addEventListener("toggle", () => {
      if (step.open) for (const other of steps) if (other !== step) other.open = false;
    });
  }
  window.addEventListener("hashchange", reveal);
  reveal();

  for (const form of box.querySelectorAll("form")) {
    const reading = form.elements.namedItem("reading");
    const fields = [...form.elements].filter((field) => field.name && !["hidden", "file", "submit"].includes(field.type));
    if (!reading || !fields.length) continue;
    const key = `copy ${form.action} ${reading.value} ${fields.map((field) => field.name).join()}`;
    let kept = null;
    try { kept = JSON.parse(sessionStorage.getItem(key)); } catch { /* this browser keeps nothing */ }
    if (kept && kept.length === fields.length) {
      fields.forEach((field, n) => {
        if (["checkbox", "radio"].includes(field.type)) field.checked = kept[n] === true;
        else field.value = kept[n];
      });
    }
    const keep = () => {
      const now = fields.map((field) => (["checkbox", "radio"].includes(field.type) ? field.checked : field.value));
      try { sessionStorage.setItem(key, JSON.stringify(now)); } catch { /* as above */ }
    };
    form.addEventListener("input", keep);
    form.addEventListener("change", keep);
    form.addEventListener("submit", () => { try { sessionStorage.removeItem(key); } catch { /* as above */ } });
  }
})();
(() => {
  /* Usual names of shapes: a tap names the one that is marked, and marks the next. */
  const words = document.getElementById("copy-words");
  if (!words) return;
  const inputs = [...document.querySelectorAll("input[data-shape]")];
  let now = null;

  function mark(input) {
    if (now) now.closest(".copy-value").classList.remove("now");
    now = input;
    if (!input) { words.hidden = true; return; }
    input.closest(".copy-value").classList.add("now");
    input.closest(".copy-value").after(words);
    words.hidden = false;
    show();
  }
  function show() {
    const taken = new Set(inputs.filter((input) => input !== now).map((input) => input.value.trim().toLowerCase()));
    for (const button of words.children) {
      button.disabled = taken.has(button.dataset.word.toLowerCase());
      button.setAttribute("aria-pressed", String(now.value.trim().toLowerCase() === button.dataset.word.toLowerCase()));
    }
  }
  words.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button || !now) return;
    now.value = button.dataset.word;
    now.dispatchEvent(new Event("input", { bubbles: true }));
    const at = inputs.indexOf(now);
    mark([...inputs.slice(at + 1), ...inputs.slice(0, at)].find((input) => input.value === input.defaultValue) || now);
  });
  for (const input of inputs) {
    input.addEventListener("focus", () => { mark(input); input.select(); });
    input.addEventListener("input", show);
  }
  document.getElementById("copy-words-how").hidden = false;
  if (inputs.length) mark(inputs[0]);
})();
