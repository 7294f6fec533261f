"""The shaders. Positions are in metres, in world axes, relative to the renderer's origin."""

import math

__all__ = [
    "BODY_FRAGMENT",
    "BODY_VERTEX",
    "LINE_FRAGMENT",
    "LINE_VERTEX",
    "SKY_FRAGMENT",
    "SKY_VERTEX",
    "SMOOTH_FRAGMENT",
    "WHOLE_VERTEX",
    "taps",
]


def taps(name: str, count: int) -> list[str]:
    """Return the defines of `count` places evenly spread over a disc, along a spiral.

    They are written out, since loops and sines are slow where there is no graphics card.
    """
    if count == 1:
        return [f"{name}_TAPS TAP(0.0, 0.0)", f"{name}_TAP_COUNT 1"]
    angles = [2.399963 * k for k in range(count)]
    far = [math.sqrt((k + 0.5) / count) for k in range(count)]
    places = [f"TAP({r * math.cos(a):.4f}, {r * math.sin(a):.4f})" for a, r in zip(angles, far, strict=True)]
    return [f"{name}_TAPS " + " ".join(places), f"{name}_TAP_COUNT {count}"]


_SKY = """
uniform vec3 sky_horizon;
uniform vec3 sky_zenith;
uniform vec3 sky_below;

// Colour of the sky in a direction, as it is shown.
vec3 sky(vec3 direction)
{
    float height = direction.z;
    vec3 above = mix(sky_horizon, sky_zenith, 1.0 - pow(1.0 - clamp(height, 0.0, 1.0), 2.5));
    return height >= 0.0 ? above : mix(sky_horizon, sky_below, 1.0 - pow(1.0 + height, 4.0));
}
"""

# Defines: FREE: poses and colours of instances of their own instead of those of bodies.
#          HALF_SPACE: a disc in a plane, around the place nearest to `focus`.
#          ROUND: a shape that is round about z; ROUND_ENDS: about its middle too.
#          OUTLINE: only marked bodies, blown up by some pixels. PLAIN: only positions, for shadows.
BODY_VERTEX = """
layout(location = 0) in vec4 vertex;      // base, shift
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 pose;        // position in the body, row of the body
layout(location = 3) in vec4 turn;        // w, x, y, z
layout(location = 4) in vec4 size;
#ifdef FREE
layout(location = 5) in vec4 tint;
#else
layout(location = 5) in float row;        // of the shape
uniform vec2 opacity;                     // least and most of what is drawn now
// Four texels: position, mark; quaternion; colour, shown; strength of the pattern, three unused.
uniform samplerBuffer bodies;
#endif

uniform mat4 view_projection;
uniform vec3 eye;
uniform vec3 focus;
uniform float reach;                      // radius of a half-space's disc
uniform vec2 outline;                     // width of an outline [parts of the picture], where 1 is its height

out vec3 world;
out vec3 world_normal;
flat out vec4 colour;
flat out float mark;
flat out float shape_row;
#ifdef HALF_SPACE
out vec2 plane_place;
#endif
#ifdef ROUND
out vec3 pattern_place;                   // in the shape, whose radius is 1
flat out float pattern;                   // strength
#endif

vec3 turned(vec4 q, vec3 v)
{
    vec3 t = 2.0 * cross(q.yzw, v);
    return v + q.x * t + cross(q.yzw, t);
}

vec4 product(vec4 a, vec4 b)
{
    return vec4(a.x * b.x - dot(a.yzw, b.yzw), a.x * b.yzw + b.x * a.yzw + cross(a.yzw, b.yzw));
}

void main()
{
#ifdef FREE
    vec3 place = pose.xyz;
    vec4 q = turn;
    colour = tint;
    mark = 0.0;
    shape_row = 0.0;
#else
    int texel = 4 * int(pose.w);
    vec4 body = texelFetch(bodies, texel);
    vec4 body_turn = texelFetch(bodies, texel + 1);
    colour = texelFetch(bodies, texel + 2);
    vec3 place = body.xyz + turned(body_turn, pose.xyz);
    vec4 q = product(body_turn, turn);
    mark = body.w;
    shape_row = row;
#ifdef ROUND
    pattern = texelFetch(bodies, texel + 3).x;
    pattern_place = vertex.xyz + vec3(0.0, 0.0, vertex.w);
#endif
#endif
#ifdef HALF_SPACE
    vec3 axis = turned(q, vec3(0.0, 0.0, 1.0));
    vec3 near = focus - dot(focus - place, axis) * axis;
    world = near + turned(q, vertex.xyz) * reach;
    world_normal = axis;
    vec3 local = turned(vec4(q.x, -q.yzw), world - place);
    plane_place = local.xy;
#else
    vec3 base = vertex.xyz * size.xyz + vec3(0.0, 0.0, vertex.w * size.w);
    world = place + turned(q, base);
    world_normal = turned(q, normal / size.xyz);
#endif
    gl_Position = view_projection * vec4(world, 1.0);
#ifdef OUTLINE
    if (mark < 0.5)
        gl_Position = vec4(0.0, 0.0, -2.0, 1.0);
    else {
        // Away from the middle as much as along the normal, so that corners of boxes stay closed.
        vec3 away = normalize(normalize(world_normal) + 0.7 * normalize(world - place + 1e-6 * world_normal));
        vec4 moved = view_projection * vec4(world + away * length(size.xyz) * 0.01, 1.0);
        vec2 screen = (moved.xy / moved.w - gl_Position.xy / gl_Position.w) / outline;
        gl_Position.xy += gl_Position.w * outline * screen / max(length(screen), 1e-9);
    }
#endif
#ifndef FREE
    if (colour.a < opacity.x || colour.a > opacity.y)
        gl_Position = vec4(0.0, 0.0, -2.0, 1.0);
#endif
}
"""

# Defines: SHADOW_TAPS: shadows, sampled at places TAP(x, y) in a disc. AMBIENT_TAPS: darkening below and
#          between bodies, the same. PICK: number and place, NORMALS: the normal too, PLAIN: nothing,
#          OUTLINE: one colour. TURNED_TAPS: the discs of samples are turned from pixel to pixel.
BODY_FRAGMENT = (
    """
in vec3 world;
in vec3 world_normal;
flat in vec4 colour;
flat in float mark;
flat in float shape_row;

uniform vec3 eye;
uniform vec3 back;                        // from the target to the camera
uniform float orthographic;
"""
    + _SKY
    + """
#if defined(PLAIN)
void main() {}
#elif defined(PICK)
layout(location = 0) out vec4 hit;
#ifdef NORMALS
layout(location = 1) out vec4 direction;
#endif
void main()
{
    hit = vec4(world, shape_row + 1.0);
#ifdef NORMALS
    direction = vec4(normalize(gl_FrontFacing ? world_normal : -world_normal), 0.0);
#endif
}
#elif defined(OUTLINE)
layout(location = 0) out vec4 shown;
uniform vec3 mark_colours[3];
void main() { shown = vec4(mark_colours[clamp(int(mark + 0.5), 0, 2)], 1.0); }
#else
layout(location = 0) out vec4 shown;

uniform vec3 light;                       // towards it
uniform vec3 light_colour;
uniform vec3 ambient_above;
uniform vec3 ambient_below;

#ifdef SHADOW_TAPS
uniform sampler2DShadow shadow_map;
uniform mat4 shadow_matrix;               // world to map, all 0 to 1
uniform mat3 shadow_normals;              // of planes, from the world to the map
uniform float shadow_steepest;            // of what is still lit
uniform float shadow_texel;               // [m]
uniform float shadow_blur;                // radius [texture coordinates]

float lit(vec3 normal, mat2 turn)
{
#ifdef HALF_SPACE
    vec3 above = vec3(0.0);               // planes throw no shadows, also none on themselves
#else
    vec3 above = normal * shadow_texel * 1.5;
#endif
    vec3 place = (shadow_matrix * vec4(world + above, 1.0)).xyz;
    vec2 edge = abs(place.xy - 0.5) * 2.0;
    float outside = smoothstep(0.97, 1.0, max(edge.x, edge.y));
    if (outside >= 1.0) return 1.0;
    // The disc of samples lies in the plane of the surface, so that this does not shade itself.
    vec3 plane = shadow_normals * normal;
    vec2 slope = plane.xy / min(plane.z, -1e-6);
    slope = -slope * min(1.0, shadow_steepest / max(length(slope), 1e-6));
    float sum = 0.0;
    vec2 off;
#define TAP(x, y) off = turn * vec2(x, y); \
    sum += texture(shadow_map, place + vec3(off, dot(slope, off)) * shadow_blur);
    SHADOW_TAPS
#undef TAP
    return mix(sum / float(SHADOW_TAP_COUNT), 1.0, outside);
}
#endif

#ifdef AMBIENT_TAPS
uniform sampler2D ambient_map;            // depth seen from straight above
uniform float ambient_depth;              // that all of it is [m]
uniform mat4 ambient_matrix;
uniform float ambient_blur;               // radius [texture coordinates]
uniform float ambient_reach;              // the same [m]

// Part of the sky that a body hides by its height above a place [reaches]: the less the higher it is.
float hidden(float height)
{
    return smoothstep(0.0, 0.1, height) / (1.0 + height * height);
}

float open_sky(vec3 normal, mat2 turn)
{
    vec3 place = (ambient_matrix * vec4(world + normal * ambient_reach * 0.5, 1.0)).xyz;
    float sum = 0.0, scale = ambient_depth / ambient_reach;
    vec2 off;
#define TAP(x, y) off = turn * vec2(x, y); \
    sum += hidden(scale * (place.z - texture(ambient_map, place.xy + off * ambient_blur).r));
    AMBIENT_TAPS
#undef TAP
    return 1.0 - sum / float(AMBIENT_TAP_COUNT);
}
#endif

#ifdef HALF_SPACE
in vec2 plane_place;
uniform float fade;                       // distance over which the plane goes over into the sky [m]
uniform vec3 focus;
uniform vec2 grid;                        // spacing of the finer lines [m], strength of these
uniform float grid_shown;

// Cover of the lines of a grid, at most two pixels wide and smoothed.
float lines(float spacing, float width)
{
    vec2 place = plane_place / spacing;
    vec2 pixel = max(fwidth(place), 1e-6);
    vec2 off = abs(fract(place - 0.5) - 0.5) / pixel;
    vec2 cover = clamp(width - off, 0.0, 1.0) * clamp(1.5 - 2.5 * pixel, 0.0, 1.0);
    return max(cover.x, cover.y);
}
#endif

#ifdef ROUND
in vec3 pattern_place;
flat in float pattern;

// Fields that alternate about the axis, and of balls above and below as well: 1 or -1, smoothed, 0 from afar.
float fields()
{
    vec3 sharp = clamp(pattern_place / max(fwidth(pattern_place), 1e-5), -1.0, 1.0);
#ifdef ROUND_ENDS
    return sharp.x * sharp.y * sharp.z;
#else
    return sharp.x * sharp.y;
#endif
}
#endif

vec3 tone(vec3 c)
{
    // Narkowicz's fit of the ACES curve; then that of screens by square roots, within 0.003.
    c = clamp(c * (2.51 * c + 0.03) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
    vec3 root = sqrt(c), fourth = sqrt(root);
    return 0.585122 * root + 0.783140 * fourth - 0.368263 * sqrt(fourth);
}

void main()
{
    vec3 n = normalize(gl_FrontFacing ? world_normal : -world_normal);
    vec3 to_eye = orthographic > 0.5 ? back : normalize(eye - world);
    vec3 base = colour.rgb;
#ifdef ROUND
    float field = fields() * pattern;
    base *= 1.0 - max(field, 0.0);
    base = mix(base, vec3(1.0), 0.45 * max(-field, 0.0));
#endif
#ifdef HALF_SPACE
    vec3 off = (world - focus) / fade;
    float clear = 1.0 / (1.0 + dot(off, off));
    float fog = 1.0 - clear * clear;
    if (grid_shown > 0.5) {
        float near = clear * clear * clear;
        float cover = max(lines(grid.x, 1.0) * grid.y, lines(10.0 * grid.x, 1.3));
        base *= 1.0 - 0.5 * near * cover;
    }
#endif
    mat2 turn = mat2(1.0);
#ifdef TURNED_TAPS
    // Samples of neighbouring pixels lie at other places (after J. Jimenez): grain in place of rings.
    float angle = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    turn = mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
#endif
    float facing = max(dot(n, light), 0.0);
    facing *= smoothstep(0.0, 0.35, facing);  // day goes over into night without an edge
#ifdef SHADOW_TAPS
    if (facing > 0.0) facing *= lit(n, turn);
#endif
    vec3 ambient = mix(ambient_below, ambient_above, 0.5 + 0.5 * n.z);
    float open = 1.0;
#ifdef AMBIENT_TAPS
    open = mix(0.42, 1.0, open_sky(n, turn));
#endif
    vec3 c = base * (ambient * open + light_colour * facing);
#ifndef HALF_SPACE
    vec3 half_way = normalize(light + to_eye);
    float grazing = 1.0 - max(dot(n, to_eye), 0.0), shine = max(dot(n, half_way), 0.0);
    float fresnel = grazing * grazing;
    fresnel *= fresnel * grazing;
    shine *= shine, shine *= shine, shine *= shine;  // to the power of 24: as satin
    shine *= shine * shine;
    c += light_colour * facing * shine * 0.16 + fresnel * 0.22 * ambient_above * open;
    c += base * step(0.5, mark) * (0.10 + 0.5 * fresnel);
#endif
    c = tone(c);
#ifdef HALF_SPACE
    c = mix(c, sky(orthographic > 0.5 ? vec3(to_eye.xy, 0.0) : -to_eye), fog);
#endif
    shown = vec4(c, colour.a);
}
#endif
"""
)

SKY_VERTEX = """
uniform vec3 forward;
uniform vec3 right;                       // half the width of the picture at distance 1
uniform vec3 upward;
out vec3 direction;
void main()
{
    vec2 corner = vec2(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0);
    direction = forward + corner.x * right + corner.y * upward;
    gl_Position = vec4(corner, 1.0, 1.0);
}
"""

SKY_FRAGMENT = (
    """
in vec3 direction;
layout(location = 0) out vec4 shown;
"""
    + _SKY
    + """
void main() { shown = vec4(sky(normalize(direction)), 1.0); }
"""
)

WHOLE_VERTEX = """
void main()
{
    gl_Position = vec4(float(gl_VertexID & 1) * 4.0 - 1.0, float(gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0);
}
"""

# Smooth edges of a finished picture (after T. Lottes, FXAA): pixels are averaged along edges of brightness.
SMOOTH_FRAGMENT = """
uniform sampler2D picture;
uniform vec2 pixel;                       // size of a pixel [texture coordinates]
layout(location = 0) out vec4 shown;
void main()
{
    const vec3 weights = vec3(0.299, 0.587, 0.114);
    ivec2 place = ivec2(gl_FragCoord.xy), last = textureSize(picture, 0) - 1;
    vec3 here = texelFetch(picture, place, 0).rgb;
    float middle = dot(here, weights);
    float nw = dot(texelFetch(picture, clamp(place + ivec2(-1, 1), ivec2(0), last), 0).rgb, weights);
    float ne = dot(texelFetch(picture, clamp(place + ivec2(1, 1), ivec2(0), last), 0).rgb, weights);
    float sw = dot(texelFetch(picture, clamp(place + ivec2(-1, -1), ivec2(0), last), 0).rgb, weights);
    float se = dot(texelFetch(picture, clamp(place + ivec2(1, -1), ivec2(0), last), 0).rgb, weights);
    float low = min(middle, min(min(nw, ne), min(sw, se)));
    float high = max(middle, max(max(nw, ne), max(sw, se)));
    shown = vec4(here, 1.0);
    if (high - low < max(0.03, 0.1 * high)) return;
    vec2 along = vec2(sw + se - nw - ne, nw + sw - ne - se);
    float least = min(abs(along.x), abs(along.y)) + max((nw + ne + sw + se) * 0.03, 1.0 / 128.0);
    along = clamp(along / least, -8.0, 8.0) * pixel;
    vec2 centre = gl_FragCoord.xy * pixel;
    vec2 inner = along / 6.0, outer = along / 2.0;
    vec3 near = 0.5 * (texture(picture, centre - inner).rgb + texture(picture, centre + inner).rgb);
    vec3 far = 0.25 * (texture(picture, centre - outer).rgb + texture(picture, centre + outer).rgb);
    far += 0.5 * near;
    float bright = dot(far, weights);
    shown.rgb = bright < low || bright > high ? near : far;
}
"""

# Lines a given number of pixels wide: a quad each. Points are lines of no length, with round ends.
LINE_VERTEX = """
layout(location = 0) in vec4 corner;      // end (0 or 1), side (-1 or 1), unused
layout(location = 1) in vec4 start;       // position, width [pixels]
layout(location = 2) in vec3 stop;
layout(location = 3) in vec4 tint;
uniform mat4 view_projection;
uniform vec2 size;                        // of the picture [pixels]
uniform float nearest;                    // w of clip coordinates at which lines are cut
flat out vec4 colour;
out vec2 across;                          // place in the quad in half widths
flat out float extent;                    // half the length in half widths

void main()
{
    vec4 a = view_projection * vec4(start.xyz, 1.0), b = view_projection * vec4(stop, 1.0);
    colour = tint;
    // Cut what is behind the camera.
    if (a.w < nearest && b.w < nearest) { gl_Position = vec4(0.0, 0.0, -2.0, 1.0); return; }
    if (a.w < nearest) a = mix(a, b, (nearest - a.w) / (b.w - a.w));
    if (b.w < nearest) b = mix(b, a, (nearest - b.w) / (a.w - b.w));
    vec2 pa = a.xy / a.w * size * 0.5, pb = b.xy / b.w * size * 0.5;
    vec2 along = pb - pa;
    float distance = length(along);
    along = distance > 1e-4 ? along / distance : vec2(1.0, 0.0);
    float half_width = 0.5 * start.w + 0.5;
    vec4 end = corner.x < 0.5 ? a : b;
    vec2 place = (corner.x < 0.5 ? pa - along * half_width : pb + along * half_width)
        + vec2(-along.y, along.x) * corner.y * half_width;
    across = vec2((corner.x - 0.5) * 2.0 * (0.5 * distance / half_width + 1.0), corner.y);
    extent = 0.5 * distance / half_width;
    gl_Position = vec4(place / (size * 0.5) * end.w, end.z, end.w);
}
"""

LINE_FRAGMENT = """
flat in vec4 colour;
in vec2 across;
flat in float extent;
uniform float strength;
layout(location = 0) out vec4 shown;
void main()
{
    float off = length(vec2(max(abs(across.x) - extent, 0.0), across.y));
    float cover = clamp((1.0 - off) / max(fwidth(across.y), 1e-4), 0.0, 1.0);
    shown = vec4(colour.rgb, colour.a * cover * strength);
}
"""
