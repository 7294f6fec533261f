// The player: reads the motion, draws it, and does what the bar, the keys and the mouse ask for.
const element = (name) => document.getElementById(name);
const BACK = [0.745, 0.79, 0.83];  // the ground far away, as light; as it is seen: the page's background
const SUN = unit([0.35, -0.5, 0.85]);
const SHADOWS = 2048;  // edge of the shadow map [pixels]

function unit(v) { const l = Math.hypot(...v) || 1; return v.map((x) => x / l); }
function cross(a, b) { return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]; }
function dot(a, b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
function product(a, b) {  // of matrices, column by column
  const c = new Float32Array(16);
  for (let i = 0; i < 4; i++) for (let j = 0; j < 4; j++) for (let k = 0; k < 4; k++)
    c[4 * i + j] += a[4 * k + j] * b[4 * i + k];
  return c;
}
function looking(eye, back, up) {
  const z = unit(back), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0,
    -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}

// ------------------------------------------------------------------ the motion

async function read() {
  const head = JSON.parse(element("head").textContent);
  const packed = Uint8Array.from(atob(element("data").textContent.trim()), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const bytes = await new Response(stream).arrayBuffer();
  let at = 0;
  const take = (kind, count) => { const a = new kind(bytes, at, count); at += a.byteLength; return a; };
  const n = head.bodies.length, m = head.moving.length, k = head.times.length;
  const motion = { head, still: take(Float32Array, 11 * n), low: take(Float32Array, 3 * m), span: take(Float32Array, 3 * m) };
  motion.pieces = head.pieces.map((piece) => ({
    ...piece, vertex: take(Float32Array, 7 * piece.vertices), index: take(Uint32Array, 3 * piece.triangles),
    instance: take(Float32Array, 11 * piece.bodies.length),
  }));
  const size = 7 * m, low = take(Uint8Array, k * size), high = take(Uint8Array, k * size);
  motion.poses = new Uint16Array(k * size);
  for (let i = 0; i < k * size; i++) {
    const folded = low[i] | (high[i] << 8);
    motion.poses[i] = (i < size ? 0 : motion.poses[i - size]) + ((folded >>> 1) ^ -(folded & 1));
  }
  motion.now = new Float32Array(7 * n);  // place and turn of each body
  for (let i = 0; i < n; i++) motion.now.set(motion.still.subarray(11 * i, 11 * i + 7), 7 * i);
  motion.there = new Uint8Array(n);
  return motion;
}

function sampleAt(motion, time) {
  const times = motion.head.times;
  let low = 0, high = times.length - 1;
  while (low < high) { const middle = (low + high + 1) >> 1; if (times[middle] <= time) low = middle; else high = middle - 1; }
  return low;
}

function pose(motion, time) {
  const { head, poses, low, span, now } = motion, m = head.moving.length;
  const a = sampleAt(motion, time), b = Math.min(a + 1, head.times.length - 1);
  const part = b > a ? (time - head.times[a]) / (head.times[b] - head.times[a]) : 0;
  for (let i = 0; i < m; i++) {
    const p = 7 * (a * m + i), q = 7 * (b * m + i), to = 7 * head.moving[i];
    for (let c = 0; c < 7; c++) {
      const value = (poses[p + c] * (1 - part) + poses[q + c] * part) / 65535;
      now[to + c] = c < 3 ? low[3 * i + c] + span[3 * i + c] * value : 2 * value - 1;
    }
    const l = Math.hypot(now[to + 3], now[to + 4], now[to + 5], now[to + 6]) || 1;
    for (let c = 3; c < 7; c++) now[to + c] /= l;
  }
  head.bodies.forEach((body, i) => { motion.there[i] = body.first <= a && a <= body.last ? 1 : 0; });
}

// ------------------------------------------------------------------ the picture

class Picture {
  constructor(canvas, motion) {
    const gl = this.gl = canvas.getContext("webgl2", { antialias: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("This page needs WebGL 2, which this browser does not offer or has switched off.");
    this.canvas = canvas; this.motion = motion;
    this.bodies = this.program(VERTEX, FRAGMENT);
    this.shadows = this.program(SHADOW_VERTEX, SHADOW_FRAGMENT);
    this.batches = motion.pieces.map((piece) => this.batch(piece));
    this.depths = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.depths);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOWS, SHADOWS);
    for (const [name, value] of [[gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE], [gl.TEXTURE_MIN_FILTER, gl.LINEAR],
      [gl.TEXTURE_MAG_FILTER, gl.LINEAR], [gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE], [gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE]])
      gl.texParameteri(gl.TEXTURE_2D, name, value);
    this.target = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depths, 0);
    gl.drawBuffers([gl.NONE]);
    gl.enable(gl.DEPTH_TEST);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const r = 1.5 * motion.head.radius;
    const ortho = new Float32Array([1 / r, 0, 0, 0, 0, 1 / r, 0, 0, 0, 0, -1 / (3 * r), 0, 0, 0, 0, 1]);
    this.light = product(ortho, looking([0, 0, 0], SUN, [0, 1, 0]));
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text); gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    ["base", "normal", "size", "place", "turn", "color"].forEach((name, i) => gl.bindAttribLocation(program, i, name));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
      const name = gl.getActiveUniform(program, i).name;
      uniforms[name] = gl.getUniformLocation(program, name);
    }
    return { program, uniforms };
  }

  batch(piece) {
    const gl = this.gl, array = gl.createVertexArray(), count = piece.bodies.length;
    const fill = (target, data, use) => { const b = gl.createBuffer(); gl.bindBuffer(target, b); gl.bufferData(target, data, use); return b; };
    const attribute = (place, size, stride, offset, each) => {
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 4 * stride, 4 * offset);
      gl.vertexAttribDivisor(place, each);
    };
    gl.bindVertexArray(array);
    fill(gl.ARRAY_BUFFER, piece.vertex, gl.STATIC_DRAW);
    attribute(0, 4, 7, 0, 0); attribute(1, 3, 7, 4, 0);
    const values = new Float32Array(15 * count);
    const buffer = fill(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
    attribute(2, 4, 15, 0, 1); attribute(3, 3, 15, 4, 1); attribute(4, 4, 15, 7, 1); attribute(5, 4, 15, 11, 1);
    fill(gl.ELEMENT_ARRAY_BUFFER, piece.index, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    const { still } = this.motion;
    const kind = { sphere: 1, capsule: 2, cylinder: 2, cone: 2, "half-space": 3 }[piece.kind] || 0;
    const glass = piece.bodies.map((body) => still[11 * body + 10] < 1);
    // What is seen through comes after the rest, so that a batch is drawn in two parts.
    const order = [...piece.bodies.keys()].sort((a, b) => glass[a] - glass[b]);
    return { piece, array, values, buffer, kind, order, solid: glass.filter((g) => !g).length };
  }

  place(batch) {
    const { still, now, there } = this.motion, { values, piece } = batch;
    batch.order.forEach((k, j) => {
      const body = piece.bodies[k], b = 7 * body, s = 11 * k, to = 15 * j;
      const [w, x, y, z] = now.subarray(b + 3, b + 7), own = piece.instance;
      for (let c = 0; c < 4; c++) values[to + c] = there[body] ? own[s + c] : 0;
      const px = own[s + 4], py = own[s + 5], pz = own[s + 6];
      const tx = 2 * (y * pz - z * py), ty = 2 * (z * px - x * pz), tz = 2 * (x * py - y * px);
      values[to + 4] = now[b] + px + w * tx + y * tz - z * ty;
      values[to + 5] = now[b + 1] + py + w * ty + z * tx - x * tz;
      values[to + 6] = now[b + 2] + pz + w * tz + x * ty - y * tx;
      const W = own[s + 7], X = own[s + 8], Y = own[s + 9], Z = own[s + 10];
      values[to + 7] = w * W - x * X - y * Y - z * Z;
      values[to + 8] = w * X + x * W + y * Z - z * Y;
      values[to + 9] = w * Y - x * Z + y * W + z * X;
      values[to + 10] = w * Z + x * Y - y * X + z * W;
      for (let c = 0; c < 4; c++) values[to + 11 + c] = still[11 * body + 7 + c];
    });
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, batch.buffer);
    this.gl.bufferSubData(this.gl.ARRAY_BUFFER, 0, values);
  }

  instances(batch, first, count) {
    const gl = this.gl;
    if (count <= 0) return;
    gl.bindVertexArray(batch.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, batch.buffer);
    [[2, 4, 0], [3, 3, 4], [4, 4, 7], [5, 4, 11]].forEach(([place, size, offset]) =>
      gl.vertexAttribPointer(place, size, gl.FLOAT, false, 60, 60 * first + 4 * offset));
    gl.drawElementsInstanced(gl.TRIANGLES, 3 * batch.piece.triangles, gl.UNSIGNED_INT, 0, count);
  }

  draw(camera) {
    const gl = this.gl, head = this.motion.head;
    this.batches.forEach((batch) => this.place(batch));
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.viewport(0, 0, SHADOWS, SHADOWS);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.shadows.program);
    gl.uniformMatrix4fv(this.shadows.uniforms.light, false, this.light);
    for (const batch of this.batches) if (batch.kind !== 3) this.instances(batch, 0, batch.solid);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    const back = BACK.map((c) => Math.pow(c, 1 / 2.2));
    gl.clearColor(...back, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.bodies.program);
    const u = this.bodies.uniforms;
    gl.bindTexture(gl.TEXTURE_2D, this.depths);
    gl.uniformMatrix4fv(u.camera, false, camera.matrix(this.canvas.width / this.canvas.height));
    gl.uniformMatrix4fv(u.light, false, this.light);
    gl.uniform3fv(u.sun, SUN); gl.uniform3fv(u.eye, camera.eye); gl.uniform3fv(u.back, BACK);
    gl.uniform1f(u.lift, 0.004 * head.radius);
    gl.uniform1f(u.step_of_grid, Math.pow(10, Math.floor(Math.log10(Math.max(head.radius, 1e-6)))));
    const pass = (first, count) => {
      for (const batch of this.batches) { gl.uniform1i(u.kind, batch.kind); this.instances(batch, first(batch), count(batch)); }
    };
    pass(() => 0, (batch) => batch.solid);
    gl.enable(gl.BLEND); gl.depthMask(false);
    pass((batch) => batch.solid, (batch) => batch.order.length - batch.solid);
    gl.disable(gl.BLEND); gl.depthMask(true);
  }
}

// ------------------------------------------------------------------ the camera

class Camera {
  constructor(head) { this.head = head; this.fit(1.6); }

  fit(aspect) {
    [this.azimuth, this.elevation] = this.head.view.map((angle) => (angle * Math.PI) / 180);
    this.target = [0, 0, 0];
    this.distance = (1.05 * this.head.radius) / Math.sin(0.35) / Math.min(1, aspect);
  }

  get back() {
    const c = Math.cos(this.elevation);
    return [c * Math.cos(this.azimuth), c * Math.sin(this.azimuth), Math.sin(this.elevation)];
  }
  get up() {
    const s = Math.sin(this.elevation);
    return [-s * Math.cos(this.azimuth), -s * Math.sin(this.azimuth), Math.cos(this.elevation)];
  }
  get eye() { return this.target.map((x, i) => x + this.distance * this.back[i]); }

  matrix(aspect) {
    const f = 1 / Math.tan(0.35), near = 0.02 * this.distance, far = this.distance + 3 * this.head.ground;
    const view = new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, (2 * far * near) / (near - far), 0]);
    return product(view, looking(this.eye, this.back, this.up));
  }

  orbit(dx, dy) {
    this.azimuth -= dx;
    this.elevation = Math.max(-1.55, Math.min(1.55, this.elevation + dy));
  }
  move(dx, dy) {
    const right = cross(this.up, this.back), scale = this.distance * Math.tan(0.35) * 2;
    this.target = this.target.map((x, i) => x - scale * (dx * right[i] - dy * this.up[i]));
  }
  zoom(factor) { this.distance = Math.max(1e-3 * this.head.radius, Math.min(1e3 * this.head.radius, this.distance * factor)); }
}

// ------------------------------------------------------------------ the player

class Player {
  constructor(motion) {
    this.motion = motion; this.head = motion.head; this.canvas = element("picture");
    this.picture = new Picture(this.canvas, motion);
    this.camera = new Camera(this.head);
    this.duration = this.head.times[this.head.times.length - 1];
    this.time = 0; this.playing = false; this.again = true; this.speed = 1; this.last = 0;
    element("name").textContent = this.head.title;
    element("slider").max = this.duration;
    this.listen();
    this.resize();
    const wanted = /t=([\d.]+)/.exec(location.hash);
    if (wanted) this.seek(parseFloat(wanted[1])); else { this.seek(0); if (this.duration > 0) this.play(); }
  }

  seek(time) {
    this.time = Math.max(0, Math.min(this.duration, time));
    element("slider").value = this.time;
    element("clock").textContent = `${(this.head.begin + this.time).toFixed(2)} / ${(this.head.begin + this.duration).toFixed(2)} s`;
    pose(this.motion, this.time);
    this.change();
  }
  play() { if (this.duration === 0) return; if (this.time >= this.duration) this.seek(0); this.playing = true; this.last = performance.now(); this.change(); this.told(); }
  pause() { this.playing = false; this.told(); }
  step(count) {
    this.pause();
    const times = this.head.times, at = sampleAt(this.motion, this.time + 1e-9);
    this.seek(times[Math.max(0, Math.min(times.length - 1, at + count))]);
  }
  told() { element("play").textContent = this.playing ? "❚❚" : "▶"; }

  // Where a body is now: [x, y, z] in metres and its quaternion [w, x, y, z].
  body(name) {
    const row = this.head.bodies.findIndex((body) => body.name === name);
    if (row < 0) throw new Error(`there is no body ${name}`);
    const now = this.motion.now.subarray(7 * row, 7 * row + 7);
    return { position: [0, 1, 2].map((c) => now[c] + this.head.origin[c]), quaternion: [...now.subarray(3)], there: !!this.motion.there[row] };
  }

  change() { if (!this.asked) { this.asked = true; requestAnimationFrame((now) => this.frame(now)); } }
  frame(now) {
    this.asked = false;
    if (this.playing) {
      const next = this.time + (this.speed * Math.max(0, now - this.last)) / 1000;
      this.last = now;
      if (next < this.duration) this.seek(next);
      else if (this.again) this.seek(this.duration > 0 ? next % this.duration : 0);
      else { this.seek(this.duration); this.pause(); }
    }
    this.picture.draw(this.camera);
  }
  resize() {
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.max(1, Math.round(this.canvas.clientWidth * scale));
    this.canvas.height = Math.max(1, Math.round(this.canvas.clientHeight * scale));
    this.change();
  }
  fit() { this.camera.fit(this.canvas.width / this.canvas.height); this.change(); }

  listen() {
    window.addEventListener("resize", () => this.resize());
    element("play").onclick = () => (this.playing ? this.pause() : this.play());
    element("step").onclick = () => this.step(1);
    element("step-back").onclick = () => this.step(-1);
    element("fit").onclick = () => this.fit();
    element("again").onclick = (event) => { this.again = !this.again; event.currentTarget.setAttribute("aria-pressed", this.again); event.currentTarget.style.opacity = this.again ? 1 : 0.4; };
    element("slider").oninput = (event) => { this.pause(); this.seek(parseFloat(event.target.value)); };
    element("speed").onchange = (event) => { this.speed = parseFloat(event.target.value); };
    window.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    this.canvas.addEventListener("wheel", (event) => { event.preventDefault(); this.camera.zoom(Math.exp(0.0012 * event.deltaY)); this.change(); }, { passive: false });
    this.drag();
  }
  drag() {
    const fingers = new Map();
    this.canvas.addEventListener("pointerdown", (event) => {
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      try { this.canvas.setPointerCapture(event.pointerId); } catch { /* an event of a script */ }
    });
    for (const end of ["pointerup", "pointercancel"]) this.canvas.addEventListener(end, (event) => fingers.delete(event.pointerId));
    this.canvas.addEventListener("pointermove", (event) => {
      const old = fingers.get(event.pointerId);
      if (!old) return;
      const dx = (event.clientX - old[0]) / this.canvas.clientHeight, dy = (event.clientY - old[1]) / this.canvas.clientHeight;
      const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
      if (others.length) {
        const gap = (place) => Math.hypot(place[0] - others[0][0], place[1] - others[0][1]) || 1;
        this.camera.zoom(gap(old) / gap([event.clientX, event.clientY])); this.camera.move(dx / 2, dy / 2);
      } else if (event.buttons & 6 || event.shiftKey) this.camera.move(dx, dy);
      else this.camera.orbit(4 * dx, 4 * dy);
      fingers.set(event.pointerId, [event.clientX, event.clientY]);
      this.change();
    });
  }
  key(event) {
    if (event.target.tagName === "SELECT" || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { " ": () => element("play").click(), ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
      Home: () => this.seek(0), End: () => this.seek(this.duration), f: () => this.fit(), F: () => this.fit() };
    if (keys[event.key]) { event.preventDefault(); if (event.key === " " && event.target.tagName === "BUTTON") event.target.blur(); keys[event.key](); }
  }
}

// The page's own script, for others: `await stoss.ready`, then stoss.player.seek(1.5), .play(), .body("cube 1").
const stoss = { player: null };
stoss.ready = read().then((motion) => (stoss.player = new Player(motion))).catch((error) => {
  element("told").textContent = error.message; element("told").style.display = "flex"; element("bar").style.display = "none";
  throw error;
});
window.stoss = stoss;
