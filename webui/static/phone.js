/* A phone as the table's camera: one picture after the other, each sent when the one before has arrived. */
(() => {
  "use strict";
  const box = document.getElementById("phone");
  if (!box) return;
  const view = document.getElementById("phone-view");
  const state = document.getElementById("phone-state");
  const button = document.getElementById("phone-start");
  const turn = document.getElementById("phone-turn");
  const token = document.querySelector("meta[name=token]").content;
  const name = Array.from(crypto.getRandomValues(new Uint8Array(12)), (b) => b.toString(16).padStart(2, "0")).join("");
  const canvas = document.createElement("canvas");
  const LONGEST = 1920;
  const QUALITY = 0.85;
  const PAUSE_MS = 100;
  let stream = null;
  let lock = null;
  let round = 0;
  let back = true;

  const pause = (ms) => new Promise((go) => { setTimeout(go, ms); });
  function say(text, bad) {
    state.textContent = text;
    state.className = bad ? "notice bad" : "quiet";
  }

  function still() {
    const scale = Math.min(1, LONGEST / Math.max(view.videoWidth, view.videoHeight));
    // A phone that is turned changes the picture's shape: it is asked for each time.
    canvas.width = Math.round(view.videoWidth * scale);
    canvas.height = Math.round(view.videoHeight * scale);
    canvas.getContext("2d").drawImage(view, 0, 0, canvas.width, canvas.height);
    return new Promise((done) => { canvas.toBlob(done, "image/jpeg", QUALITY); });
  }

  async function post(picture, first) {
    const stop = new AbortController();
    const timer = setTimeout(() => stop.abort(), 8000);
    try {
      return await fetch(box.dataset.frame + (first ? "?start=1" : ""), {
        method: "POST", body: picture, credentials: "same-origin", signal: stop.signal,
        headers: { "Content-Type": "image/jpeg", "X-Referee-Token": token, "X-Phone": name },
      });
    } finally {
      clearTimeout(timer);
    }
  }

  async function send(mine) {
    let first = true;
    while (mine === round) {
      if (document.hidden) { await pause(500); continue; }
      if (!view.videoWidth) { await pause(100); continue; }
      try {
        const answer = await post(await still(), first);
        if (mine !== round) return;
        if (answer.ok) {
          first = false;
          say(box.dataset.sending, false);
        } else if (answer.status === 403) {
          location.reload();
          return;
        } else {
          const told = await answer.json().catch(() => ({ message: "" }));
          if (answer.status === 409) { stop(); say(told.message, true); return; }
          say(told.message || box.dataset.lost, true);
          await pause(1000);
        }
        await pause(PAUSE_MS);
      } catch (error) {
        if (mine !== round) return;
        say(box.dataset.lost, true);
        await pause(1000);
      }
    }
  }

  function stop() {
    round += 1;
    if (stream) for (const track of stream.getTracks()) track.stop();
    stream = null;
    view.srcObject = null;
    turn.hidden = true;
    button.lastChild.textContent = box.dataset.start;
    if (lock) { lock.release().catch(() => undefined); lock = null; }
  }

  async function stayAwake() {
    try { lock = await navigator.wakeLock.request("screen"); } catch (error) { lock = null; }
  }

  async function start() {
    if (!navigator.mediaDevices) { say(box.dataset.insecure, true); return; }
    say(box.dataset.waiting, false);
    try {
      stream = await navigator.mediaDevices.getUserMedia({
        audio: false,
        video: { facingMode: { ideal: back ? "environment" : "user" }, width: { ideal: 1920 }, height: { ideal: 1080 } },
      });
    } catch (error) {
      say(box.dataset.refused, true);
      return;
    }
    view.srcObject = stream;
    // The preview of the camera towards the person is shown like a mirror; what is sent never is.
    view.classList.toggle("mirror", stream.getVideoTracks()[0].getSettings().facingMode === "user");
    await view.play().catch(() => undefined);
    stayAwake();
    button.lastChild.textContent = box.dataset.stop;
    navigator.mediaDevices.enumerateDevices().then((all) => {
      turn.hidden = all.filter((d) => d.kind === "videoinput").length < 2;
    });
    const mine = (round += 1);
    stream.getVideoTracks()[0].addEventListener("ended", () => { if (mine === round) { stop(); start(); } });
    send(mine);
  }

  button.addEventListener("click", () => {
    if (stream) { stop(); say("", false); } else { start(); }
  });
  turn.addEventListener("click", () => { back = !back; stop(); start(); });
  document.addEventListener("visibilitychange", () => {
    if (!stream) return;
    if (document.hidden) say(box.dataset.hidden, true); else stayAwake();
  });
})();
