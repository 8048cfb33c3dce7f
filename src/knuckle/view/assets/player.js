// The page as a function of the time, its controls, and `window.knuckle`.

/** Everything at time t: bodies, arrows, names. */
function makePose(data, buffer, stage, movers, tags, arrows) {
  const times = array(buffer, data.times);
  const positions = array(buffer, data.positions);
  const turns = array(buffer, data.quaternions);
  const n = data.movers.length;
  const [p, q, f] = [[], [], []];
  return (t) => {
    const at = place(times, t);
    movers.groups.forEach((group, i) => {
      group.position.fromArray(between(positions, n, i, 3, at, p));
      const [w, x, y, z] = between(turns, n, i, 4, at, q);
      group.quaternion.set(x, y, z, w).normalize();
    });
    for (const set of arrows) {
      set.arrows.forEach((one, i) => {
        between(set.from, set.arrows.length, i, 3, at, p);
        aim(one, p, between(set.along, set.arrows.length, i, 3, at, f), set.thick);
      });
    }
  };
}

/** CSS pixels of a point in the world. */
function toPixels(stage, point) {
  const seen = point.clone().project(stage.camera);
  return [((1 + seen.x) * window.innerWidth) / 2, ((1 - seen.y) * window.innerHeight) / 2];
}

/** Names beside their frames, one below the other where frames coincide. */
function moveNames(stage, tags, shown) {
  const taken = [];
  for (const { holder, label } of tags) {
    label.hidden = !shown;
    if (!shown) continue;
    let [x, y] = toPixels(stage, holder.getWorldPosition(new THREE.Vector3()));
    while (taken.some(([a, b]) => Math.abs(a - x) < 48 && Math.abs(b - y) < 15)) y += 15;
    taken.push([x, y]);
    label.style.transform = `translate(${x + 6}px, ${y - 9}px)`;
  }
}

/** The clock: time, play, pause, speed; every change asks for a new picture. */
function makeClock(start, end, draw) {
  const clock = { t: start, speed: 1, playing: false, seek, play, pause };
  let last = 0;
  function seek(t) {
    clock.t = Math.min(Math.max(t, start), end);
    draw();
  }
  function step(now) {
    if (!clock.playing) return;
    const next = clock.t + (clock.speed * (now - last)) / 1000;
    last = now;
    seek(next > end ? start : next);
    requestAnimationFrame(step);
  }
  function play() {
    if (clock.playing || end <= start) return;
    clock.playing = true;
    last = performance.now();
    requestAnimationFrame(step);
    draw();
  }
  function pause() {
    clock.playing = false;
    draw();
  }
  return clock;
}

/** The bar below: play, slider, time, speed. Returns what brings it up to date. */
function makeBar(bar, clock, start, end) {
  const icons = { play: "M2 1l11 6-11 6z", pause: "M2 1h4v12H2zM8 1h4v12H8z" };
  bar.classList.toggle("still", end <= start);
  bar.innerHTML = `<button class="round" aria-label="play or pause"><svg viewBox="0 0 14 14"><path/></svg></button>
    <input type="range" aria-label="time" min="${start}" max="${end}" step="any">
    <output></output><select aria-label="speed"></select>`;
  const [button, slider, shown, speeds] = bar.children;
  for (const s of [0.1, 0.25, 0.5, 1, 2, 4]) speeds.add(new Option(`${s}x`, s, s === 1, s === 1));
  button.onclick = () => (clock.playing ? clock.pause() : clock.play());
  slider.oninput = () => { clock.pause(); clock.seek(slider.valueAsNumber); };
  speeds.onchange = () => { clock.speed = Number(speeds.value); };
  return () => {
    button.querySelector("path").setAttribute("d", clock.playing ? icons.pause : icons.play);
    slider.value = clock.t;
    shown.value = `${clock.t.toFixed(2)} / ${end.toFixed(2)} s`;
  };
}

/** A part of the panel that folds. */
function folded(heading, open) {
  const details = document.createElement("details");
  details.open = open;
  const summary = document.createElement("summary");
  summary.textContent = heading;
  details.append(summary);
  return details;
}

function note(kind, text) {
  const p = document.createElement("p");
  p.className = kind;
  p.textContent = text;
  return p;
}

/** The panel with a switch for each layer, the scales, and what could not be shown. */
function makePanel(panel, data, show) {
  const details = folded(data.title, window.innerWidth >= 800);
  const boxes = {};
  for (const layer of data.layers) {
    const [label, box] = [document.createElement("label"), document.createElement("input")];
    box.type = "checkbox";
    box.onchange = () => show(layer, box.checked);
    label.append(box, layer);
    details.append(label);
    boxes[layer] = box;
  }
  details.append(note("note", data.legend));
  if (data.remarks.length) {
    const remarks = folded(`${data.remarks.length} remarks`, false);
    remarks.append(...data.remarks.map(([kind, text]) => note(kind, text)));
    details.append(remarks);
  }
  panel.append(details);
  return boxes;
}

async function main() {
  const data = JSON.parse(document.getElementById("scene").textContent);
  const buffer = await inflate(document.getElementById("buffer").textContent);
  const stage = makeStage(document.getElementById("stage"), data);
  const movers = makeMovers(stage.scene, data);
  const layers = Object.fromEntries(data.layers.map((name) => [name, []]));
  addParts(data, buffer, movers, layers);
  const tags = addTags(data, movers, layers);
  const arrows = addArrows(stage.scene, data, buffer, layers);
  const pose = makePose(data, buffer, stage, movers, tags, arrows);
  const shown = new Set(data.shown);
  const [start, end] = [data.start, data.end];
  let waiting = false;
  const clock = makeClock(start, end, () => {
    if (!waiting) requestAnimationFrame(draw);
    waiting = true;
  });
  const refresh = makeBar(document.getElementById("bar"), clock, start, end);
  function draw() {
    waiting = false;
    pose(clock.t);
    stage.draw();
    moveNames(stage, tags, shown.has("names"));
    refresh();
  }
  function set(layer, on) {
    if (!(layer in layers)) throw new Error(`no layer ${layer}; there are ${data.layers}`);
    layers[layer].forEach((thing) => { thing.visible = on; });
    shown[on ? "add" : "delete"](layer);
    boxes[layer].checked = on;
  }
  function show(layer, on) {
    set(layer, on);
    seeThrough(layers.visuals, data.inner.some((name) => shown.has(name)));
    draw();
  }
  const boxes = makePanel(document.getElementById("panel"), data, show);
  window.addEventListener("resize", () => { fit(stage, data); draw(); });
  window.addEventListener("keydown", (event) => keys(event, clock));
  stage.controls.addEventListener("change", () => stage.draw() ?? moveNames(stage, tags, shown.has("names")));
  fit(stage, data);
  const asked = new URLSearchParams(window.location.hash.slice(1));
  const wanted = asked.get("layers")?.split(",") ?? data.shown;
  data.layers.forEach((layer) => set(layer, wanted.includes(layer)));
  hooks(data, stage, movers, clock, show, draw);
  show("visuals", wanted.includes("visuals"));
  follow(clock, asked);
}

/** What tests and scripts use; all of it acts at once. */
function hooks(data, stage, movers, clock, show, draw) {
  const mover = (name) => {
    const i = data.movers.indexOf(name);
    if (i < 0) throw new Error(`no body ${name}; there are ${data.movers}`);
    return movers.groups[i].getWorldPosition(new THREE.Vector3());
  };
  const { position, fov, up } = stage.camera;
  Object.assign(window.knuckle, {
    clock, show, bodies: data.movers, layers: data.layers, start: data.start, end: data.end,
    play: clock.play, pause: clock.pause,
    seek(t) { clock.pause(); clock.seek(t); draw(); },
    position: (name) => mover(name).toArray(),
    project: (name) => toPixels(stage, mover(name)),
    camera: () => ({ position: position.toArray(), target: stage.controls.target.toArray(),
      up: up.toArray(), fov: stage.camera.fov }),
  });
}

/** `#t=1.5&layers=visuals,inertia&speed=0.5`: a time stands still, else it plays. */
function follow(clock, asked) {
  clock.speed = Number(asked.get("speed") ?? 1) || 1;
  if (asked.has("t")) window.knuckle.seek(Number(asked.get("t")) || 0);
  else clock.play();
}

/** Space plays and pauses; the arrows step by a fiftieth of a second. */
function keys(event, clock) {
  if (event.target.tagName === "SELECT") return;
  if (event.code === "Space") clock.playing ? clock.pause() : clock.play();
  else if (event.code === "ArrowRight") { clock.pause(); clock.seek(clock.t + 0.02); }
  else if (event.code === "ArrowLeft") { clock.pause(); clock.seek(clock.t - 0.02); }
  else return;
  event.preventDefault();
}

window.knuckle = {};
window.knuckle.ready = main().then(() => true, (error) => {
  const message = document.createElement("div");
  message.className = "failure";
  message.textContent = `This page needs WebGL and could not start: ${error.message}`;
  document.body.append(message);
  throw error;
});
