import type { Visibility } from '@bindery/contract';
import { messages } from '../messages.ts';
import form from './form.module.css';

/** Chooses the visibility of a resource. */
export function VisibilityField({
  value,
  onChange,
}: {
  value: Visibility;
  onChange: (visibility: Visibility) => void;
}) {
  return (
    <label className={form.field}>
      {messages.visibility.label}
      <select value={value} onChange={(event) => onChange(event.target.value as Visibility)}>
        <option value="private">{messages.visibility.private}</option>
        <option value="public">{messages.visibility.public}</option>
      </select>
    </label>
  );
}
