import type { Visibility } from '@bindery/contract';
import { LIMITS } from '@bindery/contract/wire';
import { useMutation } from '@tanstack/react-query';
import { type ComponentProps, type FormEvent, type ReactNode, useState } from 'react';
import { proposalMessages } from '../messages/proposals.ts';
import { messages } from '../messages.ts';
import { Button } from './button.tsx';
import { InlineError } from './inline-error.tsx';
import { type FieldProps, Select, type SelectProps } from './select.tsx';

/** A form that does something, and says why that failed until something in it changes. */
export function ActionForm<Result>({
  label,
  isQuiet = false,
  isStacked = false,
  mayRun = true,
  run,
  onDone,
  detail,
  children,
  more,
  failure = (error) => <InlineError error={error} />,
  done,
  ...form
}: {
  /** Of the button that submits it. */
  label: string;
  isQuiet?: boolean;
  /** Whether the button is below the fields instead of beside them. */
  isStacked?: boolean;
  mayRun?: boolean;
  run: () => Promise<Result>;
  /** Called once it is done, to empty the fields. */
  onDone?: (result: Result) => void;
  detail?: string;
  children: ReactNode;
  /** Further fields, below the button. */
  more?: ReactNode;
  failure?: ((error: unknown) => ReactNode) | undefined;
  /** Shown once it is done, and what it came to. */
  done?: (result: Result) => ReactNode;
} & Pick<ComponentProps<'form'>, 'aria-label'>) {
  const action = useMutation({ mutationFn: run, onSuccess: onDone });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (mayRun) action.mutate();
  };
  return (
    <form {...form} className="form" onSubmit={submit} onInput={() => action.isError && action.reset()}>
      {detail !== undefined && <p className="detail">{detail}</p>}
      {isStacked && children}
      <div className={isStacked ? 'actions' : 'fields'}>
        {!isStacked && children}
        <Button type="submit" label={label} isMain={!isQuiet} disabled={action.isPending || !mayRun} />
      </div>
      {more}
      {action.isError && failure(action.error)}
      {action.data !== undefined && done?.(action.data)}
    </form>
  );
}

/** The values of a form's fields; returns them, what the field with a name needs, and what changes some of them. */
export function useFields<Values extends Record<string, string>>(initial: Values) {
  const [values, setValues] = useState(initial);
  const set = (some: Partial<Values>) => setValues((now) => ({ ...now, ...some }));
  const field = <Name extends keyof Values>(name: Name) => ({
    value: values[name],
    onChange: (value: Values[Name]) => setValues((now) => ({ ...now, [name]: value })),
  });
  return [values, field, set] as const;
}

/** Says that something is done. */
export function Done({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="done">
      {children}
    </p>
  );
}

/** A field of one line; `isWide` if it takes the room that its row has left. */
export function Field({
  label,
  onChange,
  isWide = false,
  ...input
}: FieldProps<string> & { isWide?: boolean } & Omit<ComponentProps<'input'>, keyof FieldProps<string>>) {
  return (
    <label className={isWide ? 'field wide' : 'field'}>
      {label}
      <input autoComplete="off" {...input} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}

/** A field of several lines. */
export function TextField({
  label,
  onChange,
  ...area
}: FieldProps<string> & Omit<ComponentProps<'textarea'>, keyof FieldProps<string>>) {
  return (
    <label className="field wide">
      {label}
      <textarea {...area} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}

/** A choice as a field. */
export function SelectField<Value extends string>({
  label,
  hidesLabel = false,
  ...select
}: SelectProps<Value> & {
  label: string;
  /** Whether the label is only read out. */
  hidesLabel?: boolean;
}) {
  return (
    <label className="field">
      {!hidesLabel && label}
      <Select {...select} {...(hidesLabel && { 'aria-label': label })} />
    </label>
  );
}

/** A password that is chosen. */
export function NewPasswordField(props: FieldProps<string>) {
  return (
    <Field {...props} type="password" minLength={8} maxLength={200} required autoComplete="new-password" />
  );
}

/** The longest name of a project, a Note or a Bindr. */
const MAX_NAME = 200;

/** The name of a project, a Note or a Bindr. */
export function NameField(props: FieldProps<string>) {
  return <Field {...props} isWide maxLength={MAX_NAME} required />;
}

/** What somebody says of a change that they propose, and the fields for it. */
export function useProposal() {
  const [said, field] = useFields({ title: '', message: '' });
  const { title, message } = LIMITS.proposals;
  const fields = (
    <>
      <Field label={proposalMessages.itsTitle} {...field('title')} maxLength={title} required />
      <TextField label={proposalMessages.message} {...field('message')} maxLength={message} />
    </>
  );
  return [said, fields] as const;
}

/** The name of an account or a namespace. */
export function SlugField(props: FieldProps<string>) {
  return <Field {...props} maxLength={39} required />;
}

/** Who sees a project or a Note. */
export function VisibilityField(props: Omit<FieldProps<Visibility>, 'label'>) {
  const { label, choices } = messages.visibility;
  return <SelectField {...props} label={label} options={choices} />;
}
