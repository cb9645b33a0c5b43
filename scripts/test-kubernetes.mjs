// `npm run test:kubernetes [-- arguments of jest]`: installs the chart into the cluster of KUBECONFIG, which has one
// node, and plays what an operator meets there, in namespaces that it makes and deletes. Takes 20 minutes, and a Docker
// engine that builds the images.
//   TOOLMARK_KUBERNETES_LOAD_IMAGE  a command that brings an image of the engine to the cluster. The image is added:
//                                   `kind load docker-image`, `minikube image load`
//   TOOLMARK_KUBERNETES_METRIC      a command that makes a gauge of a page in Prometheus' format an external metric.
//                                   Its name and the page's URL are added. Without it, no autoscaler is tried.
//   TOOLMARK_KUBERNETES_VALUES      values for all installations, as after helm's --set: `local.restricted=false`
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from './deploy/tools.mjs';
import { environment, node, root } from './set-up.mjs';

const IMAGE = 'toolmark-test';
const {
  KUBECONFIG,
  TOOLMARK_KUBERNETES_LOAD_IMAGE: loadCommand,
  TOOLMARK_KUBERNETES_METRIC: metricCommand,
} = process.env;
const say = (text) => process.stderr.write(`${text}\n`);

function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e9,
    ...options,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? ''}\n${stdout}${stderr}`);
  return stdout;
}

/** This release, the same as another image, and the release before. */
function buildImages() {
  say('Building three images ...');
  run('docker', ['build', '--tag', `${IMAGE}:one`, '.']);
  run('docker', ['build', '--tag', `${IMAGE}:two`, '-'], { input: `FROM ${IMAGE}:one\nLABEL release=two\n` });
  const [commit] = readFileSync(join(root, 'test/earlier-release.txt'), 'utf8').split(' ');
  const source = run('git', ['archive', commit], { encoding: 'buffer' });
  run('docker', ['build', '--tag', `${IMAGE}:earlier`, '-'], { input: source });
  return ['one', 'two', 'earlier'].map((tag) => `${IMAGE}:${tag}`);
}

/** Images of the stores that this engine has. A cluster pulls others itself. */
function storeImages(helm) {
  const rendered = run(helm, ['template', 'deploy/helm/toolmark', '--values=deploy/helm/toolmark/values/local.yaml']);
  return [...new Set([...rendered.matchAll(/image: "?([^"\s]+)/g)].map(([, image]) => image))].filter(
    (image) => spawnSync('docker', ['image', 'inspect', image], { stdio: 'ignore' }).status === 0,
  );
}

function main() {
  if (!KUBECONFIG) {
    say('Nothing was tested: there is no cluster. Set KUBECONFIG to the configuration of one that is for tests.');
    return 0;
  }
  const [helm, kubectl] = [program('helm'), program('kubectl')];
  run(kubectl, ['get', 'nodes', '--output=name']);
  const images = buildImages();
  if (loadCommand)
    for (const image of [...images, ...storeImages(helm)]) {
      say(`${loadCommand} ${image}`);
      run('sh', ['-c', `${loadCommand} "$0"`, image]);
    }
  if (!metricCommand)
    say('No autoscaler is tried: TOOLMARK_KUBERNETES_METRIC names no command that serves an external metric.');
  const jest = [join(root, 'node_modules/jest/bin/jest.js'), '--config=jest.kubernetes.config.js'];
  return spawnSync(node, [...jest, ...process.argv.slice(2)], {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...environment(),
      TOOLMARK_KUBERNETES_HELM: helm,
      TOOLMARK_KUBERNETES_KUBECTL: kubectl,
      NODE_OPTIONS: '--experimental-vm-modules --no-warnings=ExperimentalWarning',
    },
  }).status;
}

try {
  process.exitCode = main() ?? 1;
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
