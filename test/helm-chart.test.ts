import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfiguration, SETTINGS } from '../packages/server/src/configuration/configuration.ts';
import {
  CHART,
  HAS_HELM,
  type Helm,
  knowsCommand,
  type Manifest,
  openHelm,
  typeErrors,
  type Values,
} from './helm-chart.ts';

/** The required values and nothing else. */
const LEAST = {
  image: { repository: 'registry.example.org/bindery' },
  publicUrl: 'https://assets.example.org',
  database: { secret: 'bindery-database' },
  objects: { url: 's3://robotics/libraries', endpoint: 'https://s3.example.org', secret: 'bindery-bucket' },
};

const namespace = (name: string) => ({
  namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
});

/** All values, each different from its default. */
const MOST = {
  ...LEAST,
  image: {
    repository: 'registry.example.org/bindery',
    tag: 'edge',
    pullPolicy: 'Always',
    pullSecrets: ['registry'],
  },
  objects: { url: 's3://robotics', region: 'eu-central-1', cacheMebibytes: 1_000_000 },
  settings: {
    BINDERY_SIGNUP: 'invite',
    BINDERY_INDEX_CACHE_MIB: '1048576',
    BINDERY_OIDC_ISSUER: 'https://id.example.org',
    BINDERY_OIDC_CLIENT_ID: 'bindery',
  },
  secretSettings: { BINDERY_OIDC_CLIENT_SECRET: { secret: 'bindery-oidc', key: 'client-secret' } },
  trustedProxies: '10.0.0.0/8',
  drainSeconds: 30,
  migration: { timeout: 60, resources: { limits: { memory: '512Mi' } } },
  resources: { requests: { cpu: '2', memory: '8Gi' } },
  serviceAccountName: 'bindery',
  podDisruptionBudget: { maxUnavailable: '34%' },
  autoscaling: { enabled: true, minReplicas: 4, maxReplicas: 8, targetCpuPercent: 50 },
  metrics: { enabled: true },
  ingress: {
    enabled: true,
    className: 'nginx',
    controller: 'ingress-nginx',
    tlsSecret: 'assets-tls',
    annotations: { 'cert-manager.io/cluster-issuer': 'letsencrypt' },
  },
  networkPolicy: {
    enabled: true,
    from: [namespace('ingress-nginx')],
    metricsFrom: [namespace('monitoring')],
  },
  podAnnotations: { 'prometheus.io/scrape': 'true' },
  podLabels: { team: 'robotics' },
  nodeSelector: { 'kubernetes.io/arch': 'amd64' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
};

const PLAIN_INGRESS = { ...LEAST, ingress: { enabled: true } };

const CASES: [string, Values][] = [
  ['the required settings', LEAST],
  ['every setting', MOST],
  ['an Ingress without annotations', PLAIN_INGRESS],
];

test.runIf(process.env.CI)('Helm is installed in CI', () => expect(HAS_HELM).toBe(true));

describe.runIf(HAS_HELM)('the Helm chart', () => {
  let helm: Helm;
  beforeAll(() => {
    helm = openHelm();
  });
  afterAll(() => helm.dispose());

  test('has the same version as the program', () => {
    const { version } = JSON.parse(readFileSync(join(CHART, '../../../packages/cli/package.json'), 'utf8'));
    expect(parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'))).toMatchObject({
      version,
      appVersion: version,
    });
  });

  test('lists each of its values in its schema and its README', () => {
    const values = Object.keys(parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'))).sort();
    const { properties } = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
    const described = readFileSync(join(CHART, 'README.md'), 'utf8').matchAll(/^\| `(\w+)`/gm);
    expect(
      Object.keys(properties)
        .filter((name) => name !== 'global')
        .sort(),
    ).toEqual(values);
    expect([...described].map(([, name]) => name).sort()).toEqual(values);
  });

  test.each([
    [{ ...LEAST, replica: 3 }, 'replica'],
    [{ ...LEAST, replicas: 0 }, 'replicas'],
    [{ ...LEAST, publicUrl: 'assets.example.org' }, 'publicUrl'],
    [{ ...LEAST, publicUrl: undefined }, 'publicUrl'],
    [{ ...LEAST, database: { url: 'postgres://bindery:secret@db/bindery' } }, 'url'],
    [{ ...LEAST, objects: { ...LEAST.objects, url: '/data' } }, 'objects.url'],
    [{ ...LEAST, settings: { SIGNUP: 'open' } }, 'SIGNUP'],
    [
      { ...LEAST, settings: { BINDERY_DATABASE_URL: 'postgres://bindery:secret@db/bindery' } },
      'BINDERY_DATABASE_URL',
    ],
    [{ ...LEAST, settings: { BINDERY_AUDIT_DAYS: 1_000_000 } }, 'BINDERY_AUDIT_DAYS'],
    [{ ...LEAST, ingress: { controller: 'traefik' } }, 'ingress.controller'],
  ])('refuses %j', (values, named) => {
    expect(() => helm.render(values)).toThrow(named);
  });

  test('renders manifests that match the types of Kubernetes', () => {
    const manifests = CASES.flatMap(([, values]) => helm.render(values));
    expect(typeErrors(manifests)).toBe('');
  });

  test('is checked against types that reject invalid manifests', () => {
    const [deployment] = ofKind(helm.render(LEAST), 'Deployment');
    const wrong = [
      { ...deployment, spec: { ...deployment?.spec, replica: 3 } },
      { ...deployment, spec: { ...deployment?.spec, replicas: '3' } },
      { ...deployment, spec: { ...deployment?.spec, selector: undefined } },
      { ...deployment, apiVersion: 'apps/v1beta1' },
    ];
    const lines = typeErrors(wrong).matchAll(/manifests\.ts\((\d+),\d+\): error TS/g);
    expect(new Set([...lines].map(([, line]) => Number(line)))).toEqual(new Set([1, 2, 3, 4]));
  });

  test('starts only commands that exist', () => {
    const started = podTemplates(helm.render(LEAST)).map(({ spec }) => spec.containers[0].args);
    expect(started.filter((args) => !knowsCommand(args))).toEqual([]);
  });

  describe.each(CASES)('with values for %s', (_, values) => {
    let manifests: Manifest[];
    beforeAll(() => {
      manifests = helm.render(values);
    });

    test('passes helm lint', () => {
      expect(helm.lint(values)).toContain('0 chart(s) failed');
    });

    test('sets only settings that the service accepts', () => {
      for (const { spec } of podTemplates(manifests)) {
        const [container] = spec.containers;
        const variables = variablesOf(container);
        const settings = Object.keys(variables).filter((name) => name.startsWith('BINDERY_'));
        expect(settings.filter((name) => !SETTINGS.includes(name))).toEqual([]);
        expect(readConfiguration(variables)).toMatchObject({
          publicUrl: 'https://assets.example.org',
          databaseUrl: 'postgres://bindery-database/url',
          s3: { bucket: 'robotics' },
        });
      }
    });

    test('runs the migration first, without resources that the chart creates later', () => {
      const job = ofKind(manifests, 'Job')[0];
      expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
      const { spec } = job?.spec.template ?? {};
      expect(spec.containers[0].args).toEqual(['admin', 'migrate']);
      const made = new Set(manifests.map(({ metadata }) => metadata.name));
      expect([spec.serviceAccountName, ...secretsOf(spec)].filter((name) => made.has(name))).toEqual([]);
    });

    test('runs unprivileged, with a read-only root file system except for two volumes', () => {
      for (const { spec } of podTemplates(manifests)) {
        expect(spec).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const container of spec.containers) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          const mounts: { name: string; mountPath: string }[] = container.volumeMounts;
          expect(mounts.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp']);
          const volumes = spec.volumes.map(({ name }: { name: string }) => name);
          expect(volumes).toEqual(mounts.map(({ name }) => name));
        }
      }
    });

    test('selects the server pods, and never the migration pod', () => {
      const [deployment] = ofKind(manifests, 'Deployment');
      const [job] = ofKind(manifests, 'Job');
      const selectors = manifests.map(selectorOf).filter((selector) => selector !== undefined);
      expect(selectors.length).toBeGreaterThan(2);
      for (const selector of selectors) {
        expect(deployment?.spec.template.metadata.labels).toMatchObject(selector);
        expect(job?.spec.template.metadata.labels).not.toMatchObject(selector);
      }
    });

    test('refers only to ports, Services and Deployments that exist', () => {
      const container = ofKind(manifests, 'Deployment')[0]?.spec.template.spec.containers[0];
      const ports = container.ports.map(({ name }: { name: string }) => name);
      const targets = ofKind(manifests, 'Service').map(({ spec }) => spec.ports[0].targetPort);
      const allowed = ofKind(manifests, 'NetworkPolicy').flatMap(({ spec }) =>
        spec.ingress.map((rule: { ports: [{ port: string }] }) => rule.ports[0].port),
      );
      const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
        (probe) => container[probe].httpGet.port,
      );
      expect([...targets, ...allowed, ...probes].filter((port) => !ports.includes(port))).toEqual([]);
      const services = ofKind(manifests, 'Service').map(({ metadata }) => metadata.name);
      const backends = ofKind(manifests, 'Ingress').map((ingress) => pathOf(ingress).backend.service.name);
      expect(backends.filter((name) => !services.includes(name))).toEqual([]);
      const scaled = ofKind(manifests, 'HorizontalPodAutoscaler').map(({ spec }) => spec.scaleTargetRef.name);
      expect(scaled.every((name) => name === 'release-bindery')).toBe(true);
    });

    test('gives a pod time to drain, and over ten seconds more to finish requests', () => {
      const { spec } = ofKind(manifests, 'Deployment')[0]?.spec.template ?? {};
      const { drainSeconds } = readConfiguration(variablesOf(spec.containers[0]));
      expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(drainSeconds + 10);
    });
  });

  test('applies the values that are set', () => {
    const manifests = helm.render(MOST);
    const { spec } = ofKind(manifests, 'Deployment')[0]?.spec.template ?? {};
    expect(readConfiguration(variablesOf(spec.containers[0]))).toMatchObject({
      signup: 'invite',
      indexCacheBytes: 1_048_576 * 2 ** 20,
      metricsAddress: { host: '0.0.0.0', port: 9_464 },
      drainSeconds: 30,
      trustedProxies: ['10.0.0.0/8'],
      s3: { endpoint: null, region: 'eu-central-1', credentials: null, cacheBytes: 1_000_000 * 2 ** 20 },
    });
    expect(spec.containers[0].image).toBe('registry.example.org/bindery:edge');
    expect(ofKind(manifests, 'Deployment')[0]?.spec).not.toHaveProperty('replicas');
    expect(ofKind(helm.render(LEAST), 'Deployment')[0]?.spec.replicas).toBe(3);
    expect(ofKind(helm.render({ ...LEAST, migration: { enabled: false } }), 'Job')).toEqual([]);
  });

  test('hashes requests by library, as haproxy.cfg does', () => {
    const [others, libraries] = ofKind(helm.render(MOST), 'Ingress');
    expect(others?.metadata.annotations).not.toHaveProperty('nginx.ingress.kubernetes.io/upstream-hash-by');
    expect(libraries?.metadata.annotations).toMatchObject({
      'nginx.ingress.kubernetes.io/use-regex': 'true',
      'nginx.ingress.kubernetes.io/upstream-hash-by': '$1',
      'cert-manager.io/cluster-issuer': 'letsencrypt',
    });
    expect(pathOf(libraries)).toMatchObject({ pathType: 'ImplementationSpecific' });
    expect(pathOf(libraries).backend).not.toEqual(pathOf(others).backend);
    // ingress-nginx turns it into a location that is anchored at the start.
    const location = new RegExp(`^${pathOf(libraries).path}`, 'i');
    const keyOf = (path: string) => location.exec(path)?.[1];
    expect(keyOf('/namespaces/acme/libraries/arms')).toBe('acme/libraries/arms');
    expect(keyOf('/namespaces/acme/libraries/arms/search')).toBe('acme/libraries/arms');
    expect(keyOf('/namespaces/acme/libraries')).toBeUndefined();
    expect(keyOf('/library-search')).toBeUndefined();
    const balanced =
      readFileSync(join(CHART, '../../haproxy.cfg'), 'utf8').match(/path_reg (\S+) }/)?.[1] ?? '';
    for (const path of [
      '/namespaces/a/libraries/b/assets/c',
      '/namespaces/a/libraries/',
      '/graphql',
      '/namespaces',
    ]) {
      expect(location.test(path)).toBe(new RegExp(balanced).test(path));
    }
  });
});

interface Container {
  env: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
}

function ofKind(manifests: readonly Manifest[], kind: string): Manifest[] {
  return manifests.filter((manifest) => manifest.kind === kind);
}

function podTemplates(manifests: readonly Manifest[]) {
  const templates = manifests.flatMap(({ spec }) => spec.template ?? []);
  expect(templates).toHaveLength(2);
  return templates;
}

/** Returns the environment of a container, in which a value from a Secret is a URL with the Secret's name and key. */
function variablesOf({ env }: Container): Record<string, string> {
  const entries = env.map(({ name, value, valueFrom }): [string, string] => {
    const { secretKeyRef: secret } = valueFrom ?? {};
    return [name, value ?? `postgres://${secret?.name}/${secret?.key}`];
  });
  expect(new Set(entries.map(([name]) => name)).size).toBe(entries.length);
  return Object.fromEntries(entries);
}

function secretsOf({ containers }: { containers: Container[] }): string[] {
  return containers.flatMap(({ env }) => env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.name ?? []));
}

function selectorOf({ kind, spec }: Manifest): Record<string, string> | undefined {
  if (kind === 'Service') return spec.selector;
  return (spec.selector ?? spec.podSelector)?.matchLabels;
}

function pathOf(ingress: Manifest | undefined) {
  return ingress?.spec.rules[0].http.paths[0];
}
