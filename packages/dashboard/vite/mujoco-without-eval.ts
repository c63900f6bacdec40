import type { Plugin } from 'vite';

/**
 * Lets MuJoCo run under a policy without `unsafe-eval`. Its package generates the source text of a function for each
 * method. This plugin replaces those functions with equivalent closures, like those that Emscripten generates with
 * `DYNAMIC_EXECUTION=0`. The build fails if the package's code is not as expected.
 */
export function mujocoWithoutEval(): Plugin {
  return {
    name: 'mujoco-without-eval',
    enforce: 'pre',
    transform(code, id) {
      if (!id.replaceAll('\\', '/').endsWith('/@mujoco/mujoco/mujoco.js')) return null;
      const patched = PATCHES.reduce((text, [from, to]) => replaceOnce(text, from, to), code);
      if (/new Function\(/.test(patched))
        throw new Error('@mujoco/mujoco makes functions of text in a new place');
      return { code: patched, map: null };
    },
  };
}

function replaceOnce(text: string, from: string, to: string): string {
  const [before, after, ...more] = text.split(from);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(`@mujoco/mujoco no longer has this once: ${from}`);
  return before + to + after;
}

const PATCHES: readonly (readonly [from: string, to: string])[] = [
  ['let [args, invokerFnBody] = createJsInvoker(argTypes, isClassMethodFunc, returns, isAsync);', ''],
  [
    'var invokerFn = new Function(...args, invokerFnBody)(...closureArgs);',
    `var invokerFn = function (...args) {
      checkArgCount(args.length, minArgs, expectedArgCount, humanName, throwBindingError);
      const destructors = needsDestructorStack ? [] : null;
      const passed = [cppTargetFunc];
      let thisWired;
      if (isClassMethodFunc) passed.push((thisWired = argTypes[1].toWireType(destructors, this)));
      const wired = Array.from({ length: expectedArgCount }, (_, i) => argTypes[i + 2].toWireType(destructors, args[i]));
      const result = cppInvokerFunc(...passed, ...wired);
      if (needsDestructorStack) runDestructors(destructors);
      else for (let i = isClassMethodFunc ? 1 : 2; i < argTypes.length; ++i)
        argTypes[i].destructorFunction?.(i === 1 ? thisWired : wired[i - 2]);
      return returns ? argTypes[0].fromWireType(result) : undefined;
    };`,
  ],
  [
    'var invokerFunction = new Function(...params, functionBody)(...args);',
    `var invokerFunction = function (object, method, destructorsRef, args) {
      let offset = 0;
      const values = types.slice(0, argCount).map((type) => {
        const value = type.readValueFromPointer(args + offset);
        offset += type.argPackAdvance;
        return value;
      });
      const result = kind === 1 ? Reflect.construct(method, values) : kind === 0 ? method.call(object, ...values) : method.call(...values);
      return retType.isVoid ? undefined : emval_returnValue(retType, destructorsRef, result);
    };`,
  ],
  // Classic workers have no modules, and this one is only needed under Node.
  ["const { createRequire } = await import('module');", 'const createRequire = null;'],
];
