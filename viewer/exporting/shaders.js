// Shaders of the player: bodies are instances of meshes; a vertex is placed as in stoss.viewer.drawing.geometry.
const PLACE = `
in vec4 base; in vec3 normal; in vec4 size; in vec3 place; in vec4 turn; in vec4 color;
vec3 turned(vec4 q, vec3 v) { return v + 2.0 * cross(q.yzw, cross(q.yzw, v) + q.x * v); }
vec3 local() { return vec3(base.xy * size.xy, base.z * size.z + base.w * size.w); }
`;

const SHADOW_VERTEX = `#version 300 es
precision highp float;
uniform mat4 light;
${PLACE}
void main() { gl_Position = light * vec4(turned(turn, local()) + place, 1.0); }
`;

const SHADOW_FRAGMENT = `#version 300 es
void main() {}
`;

const VERTEX = `#version 300 es
precision highp float;
uniform mat4 camera, light;
uniform float lift;
${PLACE}
out vec3 at, facing, inside, shape;
out vec4 shadow, paint;
void main() {
  at = turned(turn, local()) + place;
  facing = turned(turn, normal / max(size.xyz, vec3(1e-9)));
  inside = base.xyz; shape = local(); paint = color;
  shadow = light * vec4(at + lift * normalize(facing), 1.0);
  gl_Position = camera * vec4(at, 1.0);
}
`;

const FRAGMENT = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
uniform sampler2DShadow depths;
uniform vec3 sun, eye, back;
uniform float reach, step_of_grid;
uniform int kind;  // 0 plain, 1 octants, 2 quarters about the axis, 3 the ground
in vec3 at, facing, inside, shape;
in vec4 shadow, paint;
out vec4 result;

float lit() {
  vec3 p = shadow.xyz / shadow.w * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  float sum = 0.0, texel = 1.0 / float(textureSize(depths, 0).x);
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++)
    sum += texture(depths, vec3(p.xy + vec2(i, j) * texel, p.z - 0.0004));
  return sum / 9.0;
}

float side(float x) { float w = fwidth(x) + 1e-6; return clamp(x / w, -1.0, 1.0); }

float lines(vec2 p, float spacing) {
  vec2 q = p / spacing, w = fwidth(q);
  vec2 near = abs(fract(q - 0.5) - 0.5) / max(w, vec2(1e-6));
  return (1.0 - clamp(min(near.x, near.y), 0.0, 1.0)) * clamp(0.4 / max(w.x, w.y) - 0.6, 0.0, 1.0);
}

void main() {
  vec3 n = normalize(facing);
  if (!gl_FrontFacing) n = -n;
  vec3 base = paint.rgb;
  if (kind == 1) base *= 0.82 + 0.18 * side(inside.x) * side(inside.y) * side(inside.z);
  if (kind == 2) base *= 0.82 + 0.18 * side(inside.x) * side(inside.y);
  if (kind == 3) base *= 1.0 - 0.16 * lines(shape.xy, step_of_grid) - 0.12 * lines(shape.xy, 5.0 * step_of_grid);
  float direct = max(dot(n, sun), 0.0);
  if (direct > 0.0) direct *= lit();
  float sky = 0.5 + 0.5 * n.z;
  vec3 light = vec3(1.0, 0.96, 0.90) * 0.95 * direct + mix(vec3(0.17, 0.16, 0.15), vec3(0.40, 0.44, 0.50), sky);
  vec3 h = normalize(sun + normalize(eye - at));
  float shine = kind == 3 ? 0.0 : 0.12 * pow(max(dot(n, h), 0.0), 40.0) * step(0.001, direct);
  vec3 c = base * light + shine;
  if (kind == 3) c = mix(c, back, smoothstep(0.25, 1.0, length(inside.xy)));
  result = vec4(pow(clamp(c, 0.0, 1.0), vec3(1.0 / 2.2)), paint.a);
}
`;
