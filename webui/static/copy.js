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

  /* What is chosen is sent at once: while the next photo is taken, the referee looks at those that it has. What it refused is told
     when the page is there again. */
  form.querySelector("button").hidden = true;
  const refusals = `refused ${form.action}`;
  function tell(refused) {
    line.textContent = refused.join(" ");
    line.className = "notice bad";
    line.hidden = false;
  }
  try {
    const refused = JSON.parse(sessionStorage.getItem(refusals));
    sessionStorage.removeItem(refusals);
    if (refused) tell(refused);
  } catch { /* this browser keeps nothing */ }

  const inputs = [...form.querySelectorAll("input[type=file]")];
  async function take(input) {
    const files = [...input.files];
    if (!files.length) return;
    line.hidden = false;
    line.className = "";
    const refused = [];
    for (const [n, file] of files.entries()) {
      line.textContent = line.dataset.words.replace("{n}", n + 1).replace("{all}", files.length);
      const body = new FormData();
      body.append(input.name, file, file.name);
      for (const other of inputs) other.disabled = true;
      try {
        refused.push(...await send(body));
      } catch (error) {
        refused.push(`${file.name}: ${error.message}`);
      }
    }
    form.reset();
    for (const other of inputs) other.disabled = false;
    if (refused.length === files.length) {
      tell(refused);
      return;
    }
    try {
      if (refused.length) sessionStorage.setItem(refusals, JSON.stringify(refused));
    } catch { /* this browser keeps nothing */ }
    anew();
  }
  for (const input of inputs) {
    const label = input.labels[0];
    input.classList.add("unseen");
    label.classList.add("button");
    label.classList.toggle("main", "main" in label.dataset);
    input.addEventListener("change", () => take(input));
    take(input); // chosen before this script was there
  }

  const say = (at, text) => { if (at.textContent !== text) at.textContent = text; }; // what stays is read out once
  async function look() {
    try {
      const answer = await fetch(box.dataset.state, { credentials: "same-origin", headers: { Accept: "application/json" } });
      if (!answer.ok) throw new Error(String(answer.status));
      const told = await answer.json();
      say(document.getElementById("copy-sentence"), told.sentence);
      const bar = document.getElementById("copy-bar");
      bar.hidden = !told.running;
      bar.value = told.done;
      const left = document.getElementById("copy-left");
      left.hidden = !told.running;
      say(left, told.left);
      for (const span of box.querySelectorAll("[data-photo]")) say(span, told.found[span.dataset.photo] || "");
      if (told.stage !== box.dataset.stage) {
        anew();
        return;
      }
    } catch {
      // the program is busy or gone: asked again
    }
    setTimeout(look, box.dataset.stage === "reading" ? 500 : 2000);
  }
  if (["reading", "unread"].includes(box.dataset.stage)) look();
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
  /* What is put right of a card is told while it is folded away, and can be left as it was read after all. */
  const kinds = { radio: "checked", checkbox: "checked" };
  for (const asked of document.querySelectorAll("details.copy-asked")) {
    const leave = asked.querySelector(".copy-as-read");
    if (!leave) continue;
    const fields = [...asked.querySelectorAll("input, select")].filter((field) => field.name);
    const first = (field) => {
      if (field.type in kinds) return field.defaultChecked;
      return field.options ? [...field.options].find((option) => option.defaultSelected)?.value ?? field.options[0].value : field.defaultValue;
    };
    const say = () => asked.classList.toggle("anew", fields.some((field) => field[kinds[field.type] || "value"] !== first(field)));
    leave.hidden = false;
    leave.addEventListener("click", () => {
      for (const field of fields) {
        field[kinds[field.type] || "value"] = first(field);
        field.dispatchEvent(new Event("change", { bubbles: true }));
      }
      asked.open = false;
    });
    asked.addEventListener("input", say);
    asked.addEventListener("change", say);
    say();
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
