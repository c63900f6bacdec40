import { serveThreadTasks } from '../src/thread-tasks.ts';

/** Answers what it is told, or fails, or ends. */
serveThreadTasks((task: { say: string } | { fail: string } | { exit: number }) => {
  if ('fail' in task) throw new Error(task.fail);
  if ('exit' in task) process.exit(task.exit);
  return task.say;
});
