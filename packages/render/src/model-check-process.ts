import { endWithoutMemoryOrParent, serveTasks } from '@bindery/concurrency/process';
import { checkModels, type ModelsToCheck } from './check-models.ts';
import { toMessageText } from './files.ts';
import type { ModelVerdict } from './model-check-pool.ts';

endWithoutMemoryOrParent(Number(process.env.BINDERY_RENDER_MEMORY));
serveTasks<undefined, ModelsToCheck>(() => check);

async function check(models: ModelsToCheck): Promise<ModelVerdict> {
  try {
    return await checkModels(models);
  } catch (error) {
    return {
      unfinished: `cannot be checked: ${toMessageText(error instanceof Error ? error.message : String(error))}`,
    };
  }
}
