// Talks to a live screed through a client that a public generator made from api/openapi.yaml: CLIENT is the bundled client, BASE the address,
// TOKEN what it asks for. Prints one JSON document; any surprise ends it.
import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";

const [bundle, base, token, sceneText] = process.argv.slice(2);
const api = await import(pathToFileURL(bundle).href);
const client = api.createClient({ baseUrl: base, headers: { Authorization: `Bearer ${token}` } });

/** The data of an answer that is no problem document. */
async function must(call) {
  const { data, error, response } = await call;
  assert.equal(error, undefined, `${response?.url}: ${JSON.stringify(error)}`);
  return data;
}

const health = await must(api.getHealth({ client }));
const { scenes } = await must(api.listGallery({ client }));
const { methods } = await must(api.listMethods({ client }));
const scene = JSON.parse(sceneText);
const checked = await must(api.checkScene({ client, body: scene }));
const refused = await api.checkScene({ client, body: { ...scene, method: "no-such-method" } });
const job = await must(api.submitJob({ client, body: scene, query: { priority: 3 } }));
let state = job;
for (const end = Date.now() + 60000; Date.now() < end && !["succeeded", "failed", "cancelled"].includes(state.state); ) {
  await new Promise((done) => setTimeout(done, 100));
  state = await must(api.getJob({ client, path: { id: job.id } }));
}
const { jobs } = await must(api.listJobs({ client, query: { limit: 10 } }));
const curves = await must(api.getCurves({ client, path: { id: job.id } }));
const { frames } = await must(api.listFrames({ client, path: { id: job.id } }));
const effective = await must(api.getScene({ client, path: { id: job.id } }));
const deleted = await api.deleteJob({ client, path: { id: job.id } });
const gone = await api.getJob({ client, path: { id: job.id } });
console.log(
  JSON.stringify({
    status: health.status,
    gallery: scenes.length,
    methods: methods.map((method) => method.name),
    time_step: checked.estimate.time_step,
    refused: { status: refused.response.status, pointer: refused.error.errors[0].pointer },
    state: state.state,
    listed: jobs.some((one) => one.id === job.id),
    series: curves.series.length,
    frames: frames.length,
    effective: effective.name,
    deleted: deleted.response.status,
    gone: gone.response.status,
  }),
);
