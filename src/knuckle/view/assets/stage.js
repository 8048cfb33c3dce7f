// Light, ground, camera and canvas.

/** The stage on which a scene stands: {scene, camera, controls, renderer, draw}. */
function makeStage(holder, data) {
  const renderer = new THREE.WebGLRenderer({ antialias: true, alpha: true });
  renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
  renderer.toneMapping = THREE.NeutralToneMapping;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFShadowMap;
  holder.append(renderer.domElement);
  const scene = new THREE.Scene();
  light(scene, data);
  scene.add(ground(data));
  const camera = eye(data);
  const controls = new THREE.OrbitControls(camera, renderer.domElement);
  controls.target.fromArray(data.camera.target);
  controls.update();
  return { renderer, scene, camera, controls, draw: () => renderer.render(scene, camera) };
}

/** A camera that fits the view to the window: wide windows keep the height in view. */
function eye(data) {
  const { position, fov, distance } = data.camera;
  const camera = new THREE.PerspectiveCamera(fov, 1, distance / 500, distance * 50);
  camera.up.fromArray(data.up);
  camera.position.fromArray(position);
  return camera;
}

/** The canvas as large as the window; a narrow window opens the angle of view. */
function fit(stage, data) {
  const aspect = window.innerWidth / window.innerHeight;
  const half = Math.tan((data.camera.fov * Math.PI) / 360) / Math.min(aspect, 1);
  stage.camera.fov = (Math.atan(half) * 360) / Math.PI;
  stage.camera.aspect = aspect;
  stage.camera.updateProjectionMatrix();
  stage.renderer.setSize(window.innerWidth, window.innerHeight);
}

/** A bright sky, a sun over the left shoulder, which casts shadows, and two fills. */
function light(scene, data) {
  const up = new THREE.Vector3().fromArray(data.up);
  const target = new THREE.Vector3().fromArray(data.camera.target);
  const towards = new THREE.Vector3().fromArray(data.camera.position).sub(target).normalize();
  const aside = new THREE.Vector3().crossVectors(up, towards).normalize();
  const lamp = (color, strength, ahead, above, right) => {
    const made = new THREE.DirectionalLight(color, strength);
    made.position.copy(target).addScaledVector(towards, ahead * data.camera.radius);
    made.position.addScaledVector(up, above * data.camera.radius);
    made.position.addScaledVector(aside, right * data.camera.radius);
    made.target.position.copy(target);
    scene.add(made, made.target);
    return made;
  };
  const sky = new THREE.HemisphereLight(0xf6f8ff, 0xc4cbda, 2.6);
  sky.position.copy(up);
  scene.add(sky);
  shadow(lamp(0xfff4e6, 2.2, 1.2, 2.6, -1.3), data.camera.radius);
  lamp(0xdfe8ff, 0.7, 1.0, 0.4, 2.4);
  lamp(0xffffff, 0.8, -2.0, 1.2, 0.6);
}

function shadow(sun, radius) {
  sun.castShadow = true;
  sun.shadow.mapSize.set(2048, 2048);
  const reach = 1.3 * radius;
  const { camera } = sun.shadow;
  [camera.left, camera.right, camera.bottom, camera.top] = [-reach, reach, -reach, reach];
  [camera.near, camera.far] = [0.1 * radius, 8 * radius];
  sun.shadow.normalBias = 0.004 * radius;
  sun.shadow.radius = 3;
}

/** The rotation that brings the axis (1: y, 2: z) to `up`. */
function upright(up, axis) {
  const from = new THREE.Vector3().setComponent(axis, 1);
  return new THREE.Quaternion().setFromUnitVectors(from, up);
}

/** A shadow catcher and a grid whose lines fade with the distance. */
function ground(data) {
  const up = new THREE.Vector3().fromArray(data.up);
  const reach = 7 * data.camera.radius;
  const plane = new THREE.PlaneGeometry(2 * reach, 2 * reach);
  const caught = new THREE.Mesh(plane, new THREE.ShadowMaterial({ opacity: 0.28 }));
  caught.receiveShadow = true;
  const lines = new THREE.Mesh(plane, gridMaterial(data.cell, reach));
  lines.renderOrder = -1;
  const group = new THREE.Group().add(caught, lines);
  group.quaternion.copy(upright(up, 2));
  // whole cells away from the origin, so that lines keep going through it
  const target = new THREE.Vector3().fromArray(data.camera.target);
  const local = target.applyQuaternion(group.quaternion.clone().invert());
  const whole = (x) => Math.round(x / (5 * data.cell)) * 5 * data.cell;
  local.set(whole(local.x), whole(local.y), data.ground - 0.002 * data.size);
  group.position.copy(local.applyQuaternion(group.quaternion));
  return group;
}

function gridMaterial(cell, reach) {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: THREE.DoubleSide,
    uniforms: { cell: { value: cell }, reach: { value: reach } },
    vertexShader: `varying vec2 at;
      void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `varying vec2 at; uniform float cell, reach;
      float line(float size, float width) {
        vec2 x = at / size, away = abs(fract(x - 0.5) - 0.5), slope = fwidth(x);
        vec2 hit = 1.0 - smoothstep(vec2(0.0), slope * width, away);
        return max(hit.x * min(1.0, 0.4 / slope.x), hit.y * min(1.0, 0.4 / slope.y));
      }
      void main() {
        float fade = pow(max(0.0, 1.0 - length(at) / reach), 2.0);
        float ink = max(0.20 * line(cell, 1.3), 0.42 * line(5.0 * cell, 1.7));
        gl_FragColor = vec4(0.36, 0.42, 0.55, ink * fade);
      }`,
  });
}
