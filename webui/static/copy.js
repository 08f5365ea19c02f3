"use strict";
/* A copy is learned: photos are sent one after the other, and how far reading is, is told while it goes on. */
(() => {
  const box = document.getElementById("copy");
  if (!box) return;
  const form = document.getElementById("copy-send");
  const line = document.getElementById("copy-sending");
  const token = document.querySelector("meta[name=token]").content;

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
      window.location.reload();
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
      bar.max = told.steps || 1;
      bar.value = told.step;
      if (!told.running) {
        if (!box.dataset.stay) window.location.reload();
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
  /* Usual names of shapes: a tap names the one that is marked, and marks the next. */
  const words = document.getElementById("copy-words");
  if (!words) return;
  const inputs = [...document.querySelectorAll("input[data-shape]")];
  const given = new Map(inputs.map((input) => [input, input.value]));
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
    const at = inputs.indexOf(now);
    mark([...inputs.slice(at + 1), ...inputs.slice(0, at)].find((input) => input.value === given.get(input)) || now);
  });
  for (const input of inputs) {
    input.addEventListener("focus", () => { mark(input); input.select(); });
    input.addEventListener("input", show);
  }
  document.getElementById("copy-words-how").hidden = false;
  if (inputs.length) mark(inputs[0]);
})();
