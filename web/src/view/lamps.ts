/** The lights for bodies, which like those of the balls are in the camera's axes. */
import { DirectionalLight, HemisphereLight, type PerspectiveCamera, type Scene } from "three";
import type { Vector } from "../recording/topology.js";

const LAMPS: [number, Vector][] = [[1.6, [-0.45, 0.6, 0.75]], [0.3, [0.9, -0.1, 0.45]], [0.4, [0.2, 0.5, -0.8]]]; /* the lamp, the fill, the one behind */

export function addLamps(scene: Scene, camera: PerspectiveCamera): void {
  for (const [strength, place] of LAMPS) {
    const lamp = new DirectionalLight(0xffffff, strength);
    lamp.position.set(...place);
    camera.add(lamp, lamp.target);
  }
  scene.add(camera, new HemisphereLight(0xffffff, 0x8a8a8a, 1.2));
}
