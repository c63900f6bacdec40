import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BINDERY } from '../packages/cli/test/command-line.ts';
import { canRun } from '../packages/sdk/test/credentials/needed-programs.ts';
import { CLIENTS_PYTHON, missingPythonClients } from '../test/python-clients.ts';
import { Author, createAuthor } from './author.ts';
import { bindery, type RunningService, serve } from './bindery.ts';

const PYTHON_PACKAGE = fileURLToPath(new URL('../python', import.meta.url));

/** An arm whose collider is the mesh that is seen of it, and a crate that only lies there. */
const FILES = {
  'arm/arm.xml': `<mujoco model="arm"><asset><mesh name="link" file="link.obj" scale=".1 .1 .4"/></asset><worldbody>
    <body name="link" pos="0 0 1"><joint name="hinge" axis="0 1 0" range="-90 90" damping=".1"/>
    <geom type="mesh" mesh="link" contype="0" conaffinity="0" rgba=".8 .1 .1 1"/>
    <geom type="mesh" mesh="link" group="3"/>
    <body name="tip" pos="0 0 .8"><joint name="wrist" axis="0 1 0" range="-90 90" damping=".1"/>
    <geom type="box" size=".05 .05 .2"/></body></body></worldbody>
    <actuator><position name="servo" joint="hinge" kp="10" forcerange="-5 5"/>
    <position name="turn" joint="wrist" kp="5" forcerange="-2 2"/></actuator></mujoco>`,
  'arm/link.obj': `${[-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].map((z) => `v ${x} ${y} ${z}`))).join('\n')}
f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n`,
  'crate/crate.xml': `<mujoco model="crate"><worldbody><body name="crate"><freejoint/>
    <geom type="box" size=".1 .1 .1" mass="2"/></body></worldbody></mujoco>`,
  'bindery.yml': `assets:
  arm: {license: Apache-2.0, attribution: Ada, category: arm, meta: {qcode: Q333235}}
  crate: {license: CC0-1.0, attribution: Ada, category: crate, meta: {qcode: Q188075}}
`,
};

const VALIDATE = `
import json, sys
import simready.validate as simready
simready.initialize(rules_and_requirements_paths=[], features_paths=[], profiles_paths=[])
path, profile = sys.argv[1:]
asset = simready.AssetValidationConfig(asset_path=path, profile_id=profile, write_metadata=True)
print(json.dumps(simready.validate_asset(asset).features_summary))
`;

/** Runs NVIDIA's benchmark with the entry points of the Python package, over what is in an archive of USD: it reads no archives. */
const BENCHMARK = `
import json, os, pathlib, subprocess, sys, tomllib, zipfile
from simready.foundation import tier_core
package, stage, work = map(pathlib.Path, sys.argv[1:])
groups = tomllib.loads((package / "pyproject.toml").read_text())["project"]["entry-points"]
info = work / "site" / "bindery-0.1.0.dist-info"
info.mkdir(parents=True)
(info / "METADATA").write_text("Metadata-Version: 2.1\\nName: bindery\\nVersion: 0.1.0\\n")
lines = [f"[{group}]\\n" + "".join(f"{name} = {value}\\n" for name, value in found.items()) for group, found in groups.items()]
(info / "entry_points.txt").write_text("".join(lines))
tier = pathlib.Path(tier_core.__file__).parent
(work / "specs" / "docs").mkdir(parents=True)
(work / "specs" / "docs" / "profiles").symlink_to(tier / "profiles")
(work / "specs" / "features").symlink_to(tier / "features")
zipfile.ZipFile(stage).extractall(work / "arm")
os.rename(work / "arm" / "model.usda", work / "arm" / "arm.usda")
words = ["--sr-specs", "specs", "--assets", str(work / "arm" / "arm.usda"), "--features", "FET_004"]
environment = {**os.environ, "PYTHONPATH": f"{work / 'site'}:{package}"}
main = "import sys; from simready_benchmark.cli.main import main; sys.exit(main())"
ended = subprocess.run([sys.executable, "-c", main, *words], cwd=work, env=environment, capture_output=True, text=True)
[receipt] = (work / "_testing" / "results").rglob("validation.json")
print(json.dumps({"code": ended.returncode, "runs": json.loads(receipt.read_text())["runtime_tests"], "report": (work / "_testing" / "index.html").exists()}))
`;

interface Feature {
  passed: boolean;
  blocking_failure: boolean;
  'failing requirements'?: string;
}

/** What NVIDIA's validator says, by feature. */
async function validate(stage: string, profile: string): Promise<Record<string, Feature>> {
  const { stdout } = await promisify(execFile)(CLIENTS_PYTHON, ['-c', VALIDATE, stage, profile]);
  return JSON.parse(stdout.slice(stdout.indexOf('{')));
}

const blocking = (features: Record<string, Feature>) =>
  Object.values(features).flatMap((feature) =>
    feature.blocking_failure ? [feature['failing requirements']] : [],
  );
const passed = (features: Record<string, Feature>) =>
  Object.keys(features).filter((name) => features[name]?.passed);

describe.runIf(canRun('simready-validate', missingPythonClients()))('pull --as usd', () => {
  let service: RunningService;
  let token: string;
  beforeAll(async () => {
    service = await serve();
    token = await createAuthor(service);
  });
  afterAll(() => service?.dispose());

  async function pullAs(asset: string) {
    const ada = await Author.create(service, token, FILES);
    await ada.push('ada/things', '--certify');
    const folder = join(ada.home, asset);
    const { entry, losses } = await ada.run('pull', `ada/things/${asset}`, '--as', 'usd', '-o', folder);
    return { ada, folder, stage: join(folder, entry), losses };
  }

  test('writes a robot that passes simready-validate, with its certificate as a receipt that is read again', async () => {
    const { ada, folder, stage, losses } = await pullAs('arm');
    const receipt = async () =>
      JSON.parse(await readFile(join(stage, '../.simready/validation.json'), 'utf8'));
    const { runtime_tests: runs } = await receipt();
    expect(runs).toEqual([
      expect.objectContaining({
        test_name: 'bindery_certificate_publisher',
        passed: true,
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT00:00:00Z$/),
      }),
    ]);
    const features = await validate(stage, 'Robot-Body');
    expect(blocking(features)).toEqual([]);
    expect(passed(features)).toEqual(
      expect.arrayContaining([
        'FET_004_ROBOT_MUJOCO',
        'FET_004_ROBOT_NEWTON',
        'FET_022_NEWTON',
        'FET_024_NEWTON',
      ]),
    );
    expect(losses.filter(({ what }: { what: string }) => what === 'SimReady')).toEqual([]);
    expect((await receipt()).runtime_tests).toEqual(runs);
    const program = join(ada.home, 'bindery');
    await writeFile(program, `#!/bin/sh\nexec '${process.execPath}' '${BINDERY}' "$@"\n`, { mode: 0o755 });
    const words = [PYTHON_PACKAGE, stage, join(ada.home, 'benchmark')];
    const benchmark = await promisify(execFile)(CLIENTS_PYTHON, ['-c', BENCHMARK, ...words], {
      env: { ...process.env, ...ada.env, BINDERY_PROGRAM: program },
    });
    expect(JSON.parse(benchmark.stdout)).toEqual({
      code: 0,
      runs: [expect.objectContaining({ test_name: 'bindery_certificate', passed: true })],
      report: true,
    });
    await ada.run('push', folder, 'ada/received');
    const [received] = (await ada.manifest('ada/received')).assets;
    const address = `ada/received/${received?.id}`;
    const { meta } = await ada.run('info', address);
    expect(meta.simready).toMatchObject({
      profile: expect.stringMatching(/^Robot-Body/),
      passed: expect.arrayContaining(passed(features)),
      tests: [{ name: 'bindery_certificate_publisher', passed: true }],
    });
    const { stdout } = await bindery(['library', 'info', address], { env: ada.env });
    expect(stdout).toMatch(
      /SimReady +Robot-Body.* features passed,.* bindery_certificate_publisher passed, says the author\n/,
    );
  });

  test('writes a prop that fails only for what its source does not say, by the name of the requirement', async () => {
    const { ada, stage, losses } = await pullAs('crate');
    expect(blocking(await validate(stage, 'Robotics-Prop'))).toEqual(["['com.nvidia.simready.SL.MAT.001']"]);
    expect(losses).toContainEqual(expect.objectContaining({ what: 'SimReady', names: ['SL.MAT.001'] }));
    const { problems } = await ada.run('check', ada.folder, '--profile', 'simready');
    const found = problems.filter(({ code }: { code: string }) => code === 'simready-loss');
    const lost = losses.filter(({ what }: { what: string }) => what === 'SimReady');
    expect(found.map(({ asset, message }: Record<string, string>) => [asset, message])).toEqual(
      lost.map(({ names, why }: { names: string[]; why: string }) => ['crate', `${names[0]}: ${why}`]),
    );
  });
});

/** Finds, filters and downloads as the clients' own examples do. */
const SEARCH = `
import asyncio, io, json, os, sys, urllib.request, zipfile
import usd_search_client
from pxr import Usd
from simready.search import *
from simready.search import fetch_storage_backends
endpoint, token = sys.argv[1], os.environ["USD_SEARCH_PASSWORD"]
library = AssetLibrary(log_func=lambda level, message: level > 0 and print(message, file=sys.stderr), raise_on_network_error=True)
library.add_service_source(endpoint)

def paths(*include, **more):
    return sorted(match.asset_path for match in library.search(include_all=list(include), **more))

parsed = library.search(include_all=[SearchFilterLLMQuery("arm under apache-2.0 license")])
found = {
    "phrase": paths(SearchFilterPhrase("crate")),
    "class": paths(SearchFilterClass("arm")),
    "one": len(paths(SearchFilterPathContains("usdz"), max_count=1)),
    "excluded": paths(SearchFilterPathContains("ada"), exclude_any=[SearchFilterClass("arm")]),
    "profile": paths(SearchFilterProfile("Robot-Body")),
    "parsed": [match.asset_path for match in parsed],
    "understood": parsed.search_metadata.llm_parse_result["interpreted_query"]["filters"],
    "relevance": parsed[0].metadata.relevance_score,
    "storage": [backend.base_url for backend in fetch_storage_backends(endpoint)],
}

async def ask():
    configuration = usd_search_client.Configuration(host=endpoint, username="$omni-api-token", password=token)
    async with usd_search_client.ApiClient(configuration) as client:
        request = usd_search_client.DeepSearchSearchRequestV2(hybrid_text_query="crate", limit=1, return_metadata=True)
        return await usd_search_client.AISearchApi(client).search_hybrid_post(request)

[hit] = asyncio.run(ask()).hits
found["hit"] = hit.source["base_key"]
request = urllib.request.Request(endpoint + "/download/asset?asset_url=" + hit.source["base_key"], headers={"Authorization": "Bearer " + token})
with zipfile.ZipFile(io.BytesIO(urllib.request.urlopen(request).read())) as archive:
    archive.extractall("downloaded")
stage = Usd.Stage.Open("downloaded/" + hit.source["name"])
found["prims"] = [prim.GetName() for prim in stage.GetPseudoRoot().GetChildren()]
print(json.dumps(found))
`;

/** Without a token, a client sends words that tell where to put one. */
const ANONYMOUS = `
import sys
from simready.search import AssetLibrary, SearchFilterPhrase
library = AssetLibrary(log_func=lambda *message: None, raise_on_network_error=True)
library.add_service_source(sys.argv[1])
print(len(library.search(include_all=[SearchFilterPhrase("crate")])))
`;

test.runIf(canRun('simready-search', missingPythonClients()))(
  'simready-search and usd-search-client find, filter and download assets as USD',
  async () => {
    const service = await serve();
    try {
      const token = await createAuthor(service);
      const ada = await Author.create(service, token, FILES);
      await ada.push('ada/things');
      const env = { ...process.env, USD_SEARCH_PASSWORD: token };
      const words = ['-c', SEARCH, `${service.url}/usdsearch`];
      const { stdout, stderr } = await promisify(execFile)(CLIENTS_PYTHON, words, { env, cwd: ada.home });
      const [arm, crate] = ['arm', 'crate'].map((id) => `${service.url}/raw/ada/things/${id}.usdz`);
      expect(JSON.parse(stdout), stderr).toEqual({
        phrase: [crate],
        class: [arm],
        one: 1,
        excluded: [crate],
        profile: [],
        parsed: [arm],
        understood: [{ field: 'license', operator: 'in', value: ['Apache-2.0'] }],
        relevance: expect.closeTo(1, 1),
        storage: [`${service.url}/raw/`],
        hit: crate,
        prims: ['crate'],
      });
      const anonymous = await promisify(execFile)(CLIENTS_PYTHON, [
        '-c',
        ANONYMOUS,
        `${service.url}/usdsearch`,
      ]);
      expect(anonymous.stdout).toBe('0\n');
    } finally {
      await service.dispose();
    }
  },
);
