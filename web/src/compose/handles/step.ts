/** Lengths that a hand sets: in whole steps of what can be seen, in the unit that the number is given in. */
import type { Json } from "../../json.js";
import { converted, splitQuantity, unitChoices } from "../units.js";

/** The smallest of 1, 2, 5, 10, ... that is not below a length. */
export function roundStep(least: number): number {
  const ten = 10 ** Math.floor(Math.log10(least));
  return ([1, 2, 5].find((factor) => factor * ten >= least * (1 - 1e-9)) ?? 10) * ten;
}

/** A length as a value of the scene, rounded to whole steps, in the unit of the value that it replaces.
 *  @param old what stands there   @param beside the other components of its vector, whose unit a plain 0 takes
 *  @param length m                @param step m, a power of ten times 1, 2 or 5 */
export function lengthLike(old: Json | undefined, beside: Json[], length: number, step: number): Json {
  const given = old === undefined || old === 0 ? (beside.find((value) => typeof value === "string") ?? old) : old;
  const [metre, named] = [unitChoices("m")[0], splitQuantity(given, "m")?.[1] ?? "m"];
  const unit = unitChoices("m").find(({ name }) => name === named);
  if (!metre || !unit) return Number(length.toPrecision(6));
  const [inUnit, stepInUnit] = [converted(String(length), metre, unit), converted(String(step), metre, unit)];
  const rounded = Number((Math.round(inUnit / stepInUnit) * stepInUnit).toPrecision(12)) + 0; /* no -0 */
  return typeof given === "string" ? `${rounded} ${unit.name}` : rounded;
}
