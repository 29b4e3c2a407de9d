/** How surfaces are lit, everything alike, in the camera's axes: a lamp over the viewer's left shoulder, a weak one from the right that fills its
 *  shadows, and one behind that sets rims off from what is farther away. */

export const LIGHT = /* glsl */ `
const vec3 LAMP = vec3(-0.4243, 0.5657, 0.7071);
const vec3 FILL = vec3(0.8911, -0.0990, 0.4455);
const vec3 BEHIND = vec3(0.2074, 0.5185, -0.8296);
const vec3 HALFWAY = vec3(-0.2683, 0.3578, 0.8944); /* between the lamp's and the viewer's directions */

float otherLights(vec3 normal) {
  return 0.10 * max(0.0, dot(normal, FILL)) + 0.12 * max(0.0, dot(normal, BEHIND));
}

vec3 ballLight(vec3 colour, vec3 normal) {
  float diffuse = max(0.0, dot(normal, LAMP));
  float rim = smoothstep(0.0, 0.55, normal.z);
  float shine = pow(max(0.0, dot(normal, HALFWAY)), 40.0);
  return colour * ((0.45 + 0.58 * diffuse + otherLights(normal)) * (0.55 + 0.45 * rim)) + 0.10 * shine;
}

/* \`towards\`: the unit direction to the viewer. */
vec3 surfaceLight(vec3 colour, vec3 normal, vec3 towards) {
  float diffuse = max(0.0, dot(normal, LAMP));
  float rim = smoothstep(0.0, 0.5, max(0.0, dot(normal, towards)));
  float shine = pow(max(0.0, dot(normal, HALFWAY)), 40.0);
  return colour * ((0.39 + 0.64 * diffuse + otherLights(normal)) * (0.5 + 0.5 * rim)) + 0.06 * shine;
}
`;
