// What stands on the stage: the parts of bodies, their frames, names and arrows.

/** The groups that move, one for each body and the centre of mass, and the world. */
function makeMovers(scene, data) {
  const groups = data.movers.map(() => new THREE.Group());
  const world = new THREE.Group();
  scene.add(world, ...groups);
  return { groups, of: (i) => (i < 0 ? world : groups[i]) };
}

/** The meshes of all parts; `layers[name]` collects what a switch shows and hides. */
function addParts(data, buffer, movers, layers) {
  const geometries = data.surfaces.map((surface) => geometry(buffer, surface));
  for (const part of data.parts) {
    const mesh = new THREE.Mesh(geometries[part.surface], material(part.color));
    mesh.position.fromArray(part.p);
    mesh.quaternion.set(...part.q.slice(1), part.q[0]);
    mesh.castShadow = part.color[3] === 1;
    mesh.receiveShadow = true;
    if (part.color[3] < 1) mesh.add(edges(geometries[part.surface], part.color));
    movers.of(part.body).add(mesh);
    layers[part.layer].push(mesh);
  }
}

function geometry(buffer, surface) {
  const made = new THREE.BufferGeometry();
  const vertices = array(buffer, surface.vertices);
  made.setAttribute("position", new THREE.BufferAttribute(vertices, 3));
  made.setIndex(new THREE.BufferAttribute(array(buffer, surface.faces), 1));
  made.computeVertexNormals();
  return made;
}

function material([r, g, b, a]) {
  const made = new THREE.MeshStandardMaterial({
    color: new THREE.Color().setRGB(r, g, b, "srgb"),
    roughness: 0.52,
    metalness: 0.05,
    opacity: a,
    transparent: a < 1,
    depthWrite: a === 1,
    side: THREE.DoubleSide,
  });
  made.userData.opacity = a;
  return made;
}

/** Bodies as glass while something inside them is shown. */
function seeThrough(meshes, on) {
  for (const { material } of meshes) {
    const opacity = material.userData.opacity * (on ? 0.45 : 1);
    material.transparent = opacity < 1;
    material.opacity = opacity;
    material.needsUpdate = true;
  }
}

function edges(surface, [r, g, b]) {
  const color = new THREE.Color().setRGB(0.6 * r, 0.6 * g, 0.6 * b, "srgb");
  const lines = new THREE.LineBasicMaterial({ color, transparent: true, opacity: 0.7 });
  return new THREE.LineSegments(new THREE.EdgesGeometry(surface, 35), lines);
}

/** Axes and a name for every frame. */
function addTags(data, movers, layers) {
  const axes = axesOf(0.07 * data.size);
  return data.tags.map((tag) => {
    const holder = new THREE.Group();
    holder.position.fromArray(tag.p);
    holder.quaternion.set(...tag.q.slice(1), tag.q[0]);
    const shown = axes.clone();
    holder.add(shown);
    movers.of(tag.body).add(holder);
    layers.frames.push(shown);
    const label = document.createElement("div");
    label.className = "name";
    label.textContent = tag.name;
    document.body.append(label);
    return { holder, label };
  });
}

/** Three rods along x, y, z in red, green, blue. */
function axesOf(length) {
  const rod = new THREE.CylinderGeometry(0.04 * length, 0.04 * length, length, 12);
  rod.translate(0, 0.5 * length, 0);
  const group = new THREE.Group();
  [0xe5484d, 0x30a46c, 0x3e63dd].forEach((color, axis) => {
    const mesh = new THREE.Mesh(rod, new THREE.MeshBasicMaterial({ color }));
    const along = new THREE.Vector3().setComponent(axis, 1);
    mesh.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), along);
    group.add(mesh);
  });
  return group;
}

/** Arrows from points along vectors that are read from the buffer as time goes. */
function addArrows(scene, data, buffer, layers) {
  return data.arrows.map(({ layer, color, points, vectors, count }) => {
    const arrows = Array.from({ length: count }, () => arrow(color));
    arrows.forEach((one) => scene.add(one));
    layers[layer].push(...arrows);
    const [from, along] = [array(buffer, points), array(buffer, vectors)];
    return { arrows, from, along, thick: 0.006 * data.size };
  });
}

function arrow(color) {
  const shaft = new THREE.CylinderGeometry(1, 1, 1, 16).translate(0, 0.5, 0);
  const head = new THREE.ConeGeometry(2.4, 6, 20).translate(0, 3, 0);
  const group = new THREE.Group();
  const paint = material(color);
  for (const piece of [shaft, head]) {
    const mesh = new THREE.Mesh(piece, paint);
    mesh.castShadow = true;
    group.add(mesh);
  }
  return group;
}

/** One arrow into its place; vanishing forces have none. */
function aim(group, from, along, thick) {
  const vector = new THREE.Vector3().fromArray(along);
  const length = vector.length();
  const width = Math.min(thick, length / 8);
  group.scale.setScalar(length > 1e-3 * thick ? 1 : 1e-9);
  group.position.fromArray(from);
  group.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), vector.normalize());
  const [shaft, head] = group.children;
  shaft.scale.set(width, Math.max(length - 6 * width, 1e-9), width);
  head.scale.setScalar(Math.max(width, 1e-9));
  head.position.y = length - 6 * width;
}
