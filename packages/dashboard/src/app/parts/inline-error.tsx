import { ApiError, NetworkError } from '@bindery/sdk/browser';
import { messageOf } from '../../ask.ts';
import { messages } from '../messages.ts';
import { useSignInAddress } from './notices.tsx';

/** Why an action failed, shown next to its control. */
export function InlineError({ error }: { error: unknown }) {
  const signIn = useSignInAddress();
  if (error === null || error === undefined) return null;
  if (error instanceof ApiError && error.code === 'recent_sign_in_required') {
    return (
      <p role="alert" className="alert">
        {messages.signInAgain} <a href={`${signIn}&again=yes`}>{messages.signIn}</a>
      </p>
    );
  }
  const sentence = error instanceof NetworkError ? messages.failure.unreachable : ruleOf(error);
  return (
    <p role="alert" className="alert">
      {sentence}
    </p>
  );
}

/** A refused field says only what it must be: its name in the request, and what was sent, are on the page already. */
function ruleOf(error: unknown): string {
  if (!(error instanceof ApiError) || error.code !== 'invalid_parameter') return messageOf(error);
  const rule = error.message.replace(/^\/?[\w/]+: /, '').replace(/ \(received .*\)\.$/s, '.');
  return rule.charAt(0).toUpperCase() + rule.slice(1);
}
