import type { LibraryDetail, Watch } from '@bindery/contract';
import { routes, type WatchSchedule } from '@bindery/contract/wire';
import { useQuery } from '@tanstack/react-query';
import { dotted, formatTime } from '../../format.ts';
import { watchMessages as text } from '../../messages/library.ts';
import { ActionButton, Confirm } from '../../parts/actions.tsx';
import { Card } from '../../parts/card.tsx';
import { ActionForm, Field, SelectField, useFields } from '../../parts/form.tsx';
import { SafeLink } from '../../parts/links.tsx';
import { watchesQuery } from '../../queries.ts';
import { change } from '../../session.ts';

/** Milliseconds between refreshes while an import runs. */
const REFRESH = 3_000;

/** What the service imports into a library by itself; nothing where it watches nothing. */
export function WatchedSource({ library }: { library: LibraryDetail }) {
  const { namespace, name } = library;
  const { data } = useQuery({
    ...watchesQuery(namespace),
    refetchInterval: ({ state }) =>
      state.data?.watches.some((watch) => watch.library === name && watch.state === 'running')
        ? REFRESH
        : false,
  });
  const watch = data?.watches.find((one) => one.library === name);
  if (data === undefined || (watch === undefined && data.hosts.length === 0)) return null;
  const params = { namespace, name };
  const set = (body: NewWatchBody) => change(routes.watches.setWatch, { params, body }, ['watches']);
  return (
    <Card title={text.title} isRegion {...(watch ? {} : { detail: text.detail(data.hosts) })}>
      {watch ? (
        <>
          <State watch={watch} />
          <div className="actions">
            <ActionButton label={text.again} run={() => set(watch)} />
            <Confirm
              label={text.stop}
              title={text.stopTitle}
              detail={text.stopDetail}
              isReversible
              action={() => change(routes.watches.removeWatch, { params }, ['watches'])}
            />
          </div>
        </>
      ) : (
        <NewWatch source={library.upstreamRepo ?? ''} set={set} />
      )}
    </Card>
  );
}

function State({ watch: { source, every, state, setBy, problem, nextRunAt, lastResult } }: { watch: Watch }) {
  const next = nextRunAt !== null && state !== 'running' && text.next(formatTime(nextRunAt));
  return (
    <>
      <p>
        <SafeLink href={source} />
      </p>
      <p className="detail">{dotted(text.states[state], text.schedules[every], text.setBy(setBy), next)}</p>
      {problem !== null && <p className="alert">{problem}</p>}
      {lastResult !== null && (
        <p className="detail">
          {lastResult.revision === null
            ? text.nothing(formatTime(lastResult.at))
            : text.last(formatTime(lastResult.at), lastResult.assets.added, lastResult.assets.changed)}
        </p>
      )}
      {lastResult !== null && lastResult.gone.count > 0 && (
        <p className="detail">{text.gone(lastResult.gone.count, lastResult.gone.ids)}</p>
      )}
    </>
  );
}

interface NewWatchBody {
  source: string;
  every: WatchSchedule;
}

function NewWatch({ source, set }: { source: string; set: (body: NewWatchBody) => Promise<unknown> }) {
  const [body, field] = useFields({ source, every: 'daily' as WatchSchedule });
  return (
    <ActionForm label={text.start} mayRun={body.source !== ''} run={() => set(body)}>
      <Field label={text.source} {...field('source')} isWide />
      <SelectField label={text.every} {...field('every')} options={text.schedules} />
    </ActionForm>
  );
}
