// All texts that a user sees or a screen reader speaks stand in web/src/english: no source beside it holds one, and each one there is used.
// Sources are parsed, so that comments, keys, names of classes and selectors are told from texts by where they stand.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));
const names = readdirSync(SOURCES, { recursive: true }).filter((name) => name.endsWith(".ts")).sort();
const outside = names.filter((name) => !name.startsWith("english"));
const parsed = (name, text) => ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
const read = (name) => readFileSync(join(SOURCES, name), "utf8");

// Texts that stand elsewhere: [file, text, why]. One that excepts nothing is a finding.
const EXCEPTIONS = [
  [/^compose\/mend\.ts$/, /^a /, "what the server writes as the allowed values of a problem, compared with"],
  [/^compose\/units\.ts$/, /^(?:m?k?N m|m?Pa s|[kMG]?Pa|[kM]?Hz)$/, "units"],
  [/^(?:plot\/(?:readouts|table_statistics)|compose\/template_panel)\.ts$/, /^(?:N s|Pa|Hz)$/, "units"],
  [/^study\/figures\/calibration_view\.ts$/, /^(?:measured|best ) ?[{}]* ?[xy]$/, "columns of a CSV file, which programs read"],
  [/^study\/figures\/ensemble\.ts$/, /^\{\} (?:low|median|high)$/, "columns of a CSV file, which programs read"],
  [/^pages\/downloads\.ts$/, /^surface\.\{\}$|^recording\.scree$/, "names of files"],
  [/^view\/(?:draw\/|shading\.ts$)/, /[;\n]|vec2\(/, "programs of the graphics processor"],
  [/^compose\/asset_field\.ts$/, /^sha256:…$/, "how names of assets begin"],
  [/^pages\/shortcuts\.ts$/, /^input:not/, "a selector"],
  [/^view\/webm\.ts$/, /^Scree$/, "the program's name in a film"],
];

const SPOKEN = new Set(["title", "aria-label", "aria-valuetext", "aria-roledescription", "placeholder", "alt", "label"]); // attributes
const UNSEEN = new Set(["class", "className", "id", "for", "list", "accept", "d", "viewBox", "points", "transform", "rel", "fill", "stroke", "fillStyle", "strokeStyle", "font", "type", "media", "rootMargin", "cursor", "key"]);
const NO_TEXT = /^(?:querySelector(?:All)?|closest|matches|matchMedia|getElementById|getContext|getAttribute|removeAttribute|hasAttribute|add|remove|toggle|addEventListener|removeEventListener|setProperty|getPropertyValue|getExtension|startsWith|endsWith|includes|indexOf|split|replace|dispatchEvent)$/;

const isText = (node) => ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node);
/** The text with {} for each value in it. */
const textOf = (node) => (ts.isTemplateExpression(node) ? node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join("") : node.text);

/** Where a literal's value goes: past choices, sums and brackets. */
function use(node) {
  let [at, parent] = [node, node.parent];
  while (
    ts.isParenthesizedExpression(parent) || ts.isAsExpression(parent) || ts.isTemplateSpan(parent) || ts.isTemplateExpression(parent) ||
    (ts.isConditionalExpression(parent) && parent.condition !== at) ||
    (ts.isBinaryExpression(parent) && [ts.SyntaxKind.PlusToken, ts.SyntaxKind.BarBarToken, ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.AmpersandAmpersandToken].includes(parent.operatorToken.kind))
  )
    [at, parent] = [parent, parent.parent];
  return [at, parent];
}

const calledName = (call) => (ts.isPropertyAccessExpression(call.expression) ? call.expression.name.text : call.expression.getText());

/** "spoken": surely for people; "hidden": surely not; "": by the look of it. */
function kindOf(node) {
  const [at, parent] = use(node);
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent) || ts.isCaseClause(parent) || ts.isElementAccessExpression(parent)) return "hidden";
  if (ts.isBinaryExpression(parent)) {
    if (parent.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return "hidden"; // compared with
    const target = ts.isPropertyAccessExpression(parent.left) ? parent.left.name.text : "";
    return target === "textContent" || SPOKEN.has(target) ? "spoken" : UNSEEN.has(target) ? "hidden" : "";
  }
  if (ts.isPropertyAssignment(parent)) {
    if (parent.name === at) return "hidden";
    const name = parent.name.getText().replace(/["']/g, "");
    return SPOKEN.has(name) ? "spoken" : UNSEEN.has(name) || /^(?:aria-(?:controls|labelledby|describedby|live)|data-)/.test(name) ? "hidden" : "";
  }
  if (!ts.isCallExpression(parent)) return "";
  const [called, place] = [calledName(parent), parent.arguments.indexOf(at)];
  if (called === "h" || called === "svg") return place === 0 ? "hidden" : "spoken";
  if (called === "setText") return "spoken";
  if (called === "setAttribute") return place === 1 && SPOKEN.has(parent.arguments[0].text) ? "spoken" : "hidden";
  if (["say", "confirm", "prompt", "alert"].includes(called)) return "spoken";
  return NO_TEXT.test(called) || called === "import" ? "hidden" : "";
}

/** Texts of a source that are for people. A literal that is surely shown is one when it has a word; another when it has two, or begins like a sentence. */
function textsIn(name, source) {
  const found = [];
  const visit = (node) => {
    if (isText(node)) {
      const [text, kind] = [textOf(node), kindOf(node)];
      const markup = /^\s*[<#&]/.test(text) || /^(?:https?:|rgb|hsl)/.test(text) || / (?:stroke|fill)[-="]/.test(text);
      const word = kind === "spoken" ? /[a-z]{2}/ : /\p{L}{2,}[,;:.]? [\p{L}{(]|[\p{L}}][,;:.]? \p{L}{2,}|^\p{L} \p{L}+$|^[A-Z][a-z]+(?:$|[ ,.:])/u;
      if (kind !== "hidden" && !markup && word.test(text)) found.push(text);
    }
    ts.forEachChild(node, visit);
  };
  visit(parsed(name, source));
  return found;
}

const excepted = (name, text) => EXCEPTIONS.find(([file, form]) => file.test(name) && form.test(text));

const texts = outside.flatMap((name) => textsIn(name, read(name)).map((text) => [name, text]));

test("no source outside of english holds a text for people", () => {
  const found = texts.filter(([name, text]) => !excepted(name, text)).map(([name, text]) => `${name}: ${JSON.stringify(text)}`);
  assert.deepEqual(found, [], "move them to web/src/english");
});

test("every exception is needed", () => {
  assert.deepEqual(EXCEPTIONS.filter((one) => !texts.some(([name, text]) => excepted(name, text) === one)).map(String), []);
});

test("a text is found wherever it is shown, and keys, classes, selectors and what is compared are not", () => {
  const shown = [
    'h("p", {}, "Nothing here")', 'h("option", { value: 1 }, one ? "steps" : name)', 'h("p", {}, `${n} rows`)', 'h("p", { "aria-label": "Rows" })', 'h("input", { placeholder: "unit" })',
    'element.textContent = "Stop"', 'canvas.setAttribute("aria-label", "View")', 'setText(note, ready ? "" : "Reading …")', 'confirm("Sure?")', 'const NAMES = { grid: "every combination" }',
    'const KINDS = ["Peak", 1]', "const said = `${name} and ${many} more`", 'throw new Error("no such field")', 'around.say("gone")',
  ];
  for (const text of shown) assert.equal(textsIn("planted.ts", text).length, 1, text);
  const hidden = [
    'h("div", { class: "card two words", "data-part": "a b" }, english.jobs.title)', 'document.querySelector(".card .open")', 'if (event.key === "Escape") close()', 'import { h } from "./dom.js"',
    'h("a", { href: `#/jobs/${id}` }, "×")', 'canvas.getContext("2d")', 'badge.className = "badge state"', 'headers["Content-Type"]', "// Says nothing\nconst x = 1", 'const mode = "frame"', 'h("button", {}, "SVG")',
  ];
  for (const text of hidden) assert.deepEqual(textsIn("planted.ts", text), [], text);
});

test("every text of english is used, and its enums are declared once", () => {
  const used = new Map();
  for (const name of outside) {
    const area = [...read(name).matchAll(/import \* as english from "[./]*english\/(\w+)\.js"/g)].map((found) => found[1]);
    for (const [, path] of read(name).matchAll(/\benglish\.(\w+(?:\.\w+)?)/g)) for (const one of area) used.set(`${one}.${path}`, true).set(`${one}.${path.split(".")[0]}`, true);
  }
  const problems = [];
  for (const name of names.filter((one) => one.startsWith("english"))) {
    const area = basename(name, ".ts");
    const seen = new Set();
    for (const statement of parsed(name, read(name)).statements) {
      const declared = ts.isEnumDeclaration(statement) ? [statement.name.text] : ts.isVariableStatement(statement) ? statement.declarationList.declarations.map((one) => one.name.getText()) : [];
      for (const one of declared) if (seen.has(one)) problems.push(`${area}.${one} is declared twice`); else seen.add(one);
      if (ts.isVariableStatement(statement)) for (const one of declared) if (!used.has(`${area}.${one}`)) problems.push(`${area}.${one} is not used`);
      if (ts.isEnumDeclaration(statement)) for (const member of statement.members) if (!used.has(`${area}.${statement.name.text}.${member.name.getText()}`)) problems.push(`${area}.${statement.name.text}.${member.name.getText()} is not used`);
    }
  }
  assert.deepEqual(problems, []);
});
