/** How surfaces are lit: a lamp over the viewer's left shoulder, for everything alike. In the camera's axes. */

export const LIGHT = /* glsl */ `
const vec3 LAMP = vec3(-0.4243, 0.5657, 0.7071);
const vec3 HALFWAY = vec3(-0.2683, 0.3578, 0.8944); /* between the lamp's and the viewer's directions */

vec3 ballLight(vec3 colour, vec3 normal) {
  float diffuse = max(0.0, dot(normal, LAMP));
  float rim = smoothstep(0.0, 0.55, normal.z);
  float shine = pow(max(0.0, dot(normal, HALFWAY)), 40.0);
  return colour * (0.48 + 0.6 * diffuse) * (0.55 + 0.45 * rim) + 0.10 * shine;
}

/* \`towards\`: the unit direction to the viewer. */
vec3 surfaceLight(vec3 colour, vec3 normal, vec3 towards) {
  float diffuse = max(0.0, dot(normal, LAMP));
  float rim = smoothstep(0.0, 0.5, max(0.0, dot(normal, towards)));
  float shine = pow(max(0.0, dot(normal, HALFWAY)), 40.0);
  return colour * (0.42 + 0.66 * diffuse) * (0.5 + 0.5 * rim) + 0.06 * shine;
}
`;
