import type { ViewerInput } from '../viewer.ts';
import { WorkerClient } from '../workers/client.ts';
import type { AssetOfWorker } from '../workers/messages.ts';
import type { ModelAnswers, ModelCall } from '../workers/models-worker.ts';
import ModelsWorker from '../workers/models-worker.ts?worker&inline';

/** The worker that reads meshes and robots, and what it needs to know of the asset. */
export class ModelClient extends WorkerClient<ModelCall, ModelAnswers> {
  readonly asset: AssetOfWorker;

  constructor({ entry, source, limits }: ViewerInput) {
    super(new ModelsWorker({ name: 'models' }), source, limits.seconds);
    this.asset = { entry, sizes: source.sizes, limits };
  }
}
