import { serveProcessTasks } from '../src/process.ts';

export type AskingTask =
  | { kind: 'echo'; text: string }
  | { kind: 'answer for another'; task: number }
  | { kind: 'ask'; question: string }
  | { kind: 'ask and leave'; question: string }
  | { kind: 'fail'; message: string }
  | { kind: 'spin' }
  | { kind: 'load, then spin' }
  | { kind: 'die' }
  | { kind: 'environment' }
  | { kind: 'settings' };

serveProcessTasks<unknown, AskingTask>((settings) => async (task, { ask, ready }) => {
  switch (task.kind) {
    case 'echo':
      return task.text;
    case 'ask':
      return ask(task.question);
    case 'ask and leave':
      void ask(task.question);
      return 'left';
    case 'answer for another':
      process.send?.({ type: 'done', task: task.task, value: 'stray' });
      return 'own';
    case 'fail':
      throw new Error(task.message);
    case 'load, then spin':
      ready();
      await new Promise((sent) => setTimeout(sent, 50));
      for (;;);
    case 'spin':
      for (;;);
    case 'die':
      return process.exit(3);
    case 'environment':
      return Object.keys(process.env);
    case 'settings':
      return settings;
  }
});
