import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { messages } from '../messages.ts';
import { Confirm } from './actions.tsx';
import { ActionForm, SelectField, SlugField, useFields } from './form.tsx';
import { InlineError } from './inline-error.tsx';

interface Person<Role extends string> {
  userName: string;
  role: Role;
}

interface PeopleProps<Role extends string> {
  people: readonly Person<Role>[] | undefined;
  /** The role that is suggested for others. */
  initial: Role;
  text: {
    /** The roles with what they permit. */
    choices: Readonly<Record<Role, string>>;
    remove: string;
    removeOf: (userName: string) => string;
    removeTitle: (userName: string) => string;
    removeDetail: string;
  };
  /** Shown if there are none. */
  none?: string;
  put: (userName: string, role: Role) => Promise<unknown>;
  remove: (userName: string) => Promise<unknown>;
  /** Says why somebody could not be added. */
  failure?: (error: unknown) => ReactNode;
}

/** People and their roles, which can be changed, taken away, and given to others. */
export function People<Role extends string>(props: PeopleProps<Role>) {
  const { people, none } = props;
  return (
    <>
      <ul className="list">
        {people?.map((person) => (
          <PersonRow key={person.userName} {...props} person={person} />
        ))}
        {people?.length === 0 && <li className="detail">{none}</li>}
      </ul>
      <AddPerson {...props} />
    </>
  );
}

function PersonRow<Role extends string>({
  person: { userName, role },
  text,
  put,
  remove,
}: PeopleProps<Role> & { person: Person<Role> }) {
  const change = useMutation({ mutationFn: (next: Role) => put(userName, next) });
  return (
    <li>
      <strong>{userName}</strong>
      <span className="fields">
        <SelectField
          label={messages.people.roleOf(userName)}
          hidesLabel
          value={role}
          options={text.choices}
          onChange={(next) => change.mutate(next)}
        />
        <Confirm
          label={text.remove}
          name={text.removeOf(userName)}
          title={text.removeTitle(userName)}
          detail={text.removeDetail}
          isReversible
          action={() => remove(userName)}
        />
      </span>
      <InlineError error={change.error} />
    </li>
  );
}

function AddPerson<Role extends string>({ initial, text, put, failure }: PeopleProps<Role>) {
  const [{ userName, role }, field, set] = useFields({ userName: '', role: initial });
  const run = () => put(userName, role);
  return (
    <ActionForm label={messages.people.add} run={run} onDone={() => set({ userName: '' })} failure={failure}>
      <SlugField label={messages.people.userName} {...field('userName')} />
      <SelectField label={messages.people.role} {...field('role')} options={text.choices} />
    </ActionForm>
  );
}
