import type { MadeCertificate } from '@bindery/contract';
import { CERTIFIED_KINDS, routes } from '@bindery/contract/wire';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { simulationMessages } from '../../messages/asset.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { Fold } from '../../parts/card.tsx';
import { type AssetProps, assetQuery } from '../../queries.ts';
import { change } from '../../session.ts';
import styles from './simulation.module.css';

const SIMULATION_ID = 'simulation';

/** How a robot behaved in simulation, and for members a way to have the service simulate it. */
export function Simulation({
  library,
  asset,
  mayCertify,
  children,
}: AssetProps & {
  mayCertify: boolean;
  /** What else can be done, in the row of its button. */
  children: ReactNode;
}) {
  const text = simulationMessages;
  const certificates = asset.certificates ?? [];
  const isCertified = certificates.some(({ madeBy }) => madeBy === 'service');
  const { namespace, library: name, release } = library;
  return (
    <>
      {certificates.length > 0 && (
        <section id={SIMULATION_ID} className="stack" aria-label={text.heading}>
          <h2 className="body-text">{text.heading}</h2>
          {certificates.map((certificate) => (
            <Certificate key={certificate.madeBy} certificate={certificate} />
          ))}
        </section>
      )}
      <div className="actions">
        {mayCertify && !isCertified && CERTIFIED_KINDS.has(asset.kind) && (
          <ActionButton
            label={text.certify}
            running={text.running}
            run={() => {
              const params = { namespace, name, assetId: asset.id };
              const request = { params, query: release === undefined ? {} : { release } };
              return change(routes.libraries.certifyAsset, request, assetQuery(library, asset.id).queryKey);
            }}
          />
        )}
        {children}
      </div>
    </>
  );
}

/** The verdict of each engine, in one line beside the viewer, which leads to the rest. */
export function Verdicts({ certificates }: { certificates: readonly MadeCertificate[] }) {
  const text = simulationMessages;
  const verdicts = certificates.flatMap(({ mujoco, verdict, engines = [] }) => [
    { name: 'MuJoCo', version: mujoco, verdict },
    ...engines,
  ]);
  const sentences = new Set(
    verdicts.map(({ name, version, verdict }) => text.verdict(verdict, name, version)),
  );
  return (
    <p className="detail">
      {[...sentences].join(' · ')}{' '}
      <Link to="." search={(search) => search} hash={SIMULATION_ID}>
        {text.certificate}
      </Link>
    </p>
  );
}

function Certificate({ certificate }: { certificate: MadeCertificate }) {
  const text = simulationMessages;
  const { verdict, madeBy, mujoco, problems, losses, engines = [], pictureUrl, rest, control } = certificate;
  return (
    <div className="stack">
      <p>
        <strong className={verdict === 'passed' ? 'good' : 'bad'}>{text[verdict]}</strong>{' '}
        <span className="detail">{text.made(mujoco, madeBy)}</span>
      </p>
      {rest && <Energy name={text.rest} energy={rest.energy} />}
      {control && <Energy name={text.control} energy={control.energy} />}
      {problems.length > 0 && (
        <ul className={`detail ${styles.problems}`}>
          {problems.map(({ code, message }) => (
            <li key={`${code} ${message}`}>
              {message} <code>{code}</code>
            </li>
          ))}
        </ul>
      )}
      {losses.length > 0 && (
        <p className="detail">{text.without(losses.map(({ what }) => what).join(', '))}</p>
      )}
      {engines.length > 0 && (
        <ul className={`detail ${styles.problems}`} aria-label={text.engines}>
          {engines.map((engine) => (
            <li key={engine.name}>{text.engine(engine)}</li>
          ))}
        </ul>
      )}
      {pictureUrl !== null && <Run url={pictureUrl} />}
    </div>
  );
}

/** Nothing moves until somebody asks for it. */
function Run({ url }: { url: string }) {
  return (
    <Fold summary={simulationMessages.watch} className="detail">
      <img className={styles.run} src={url} alt={simulationMessages.run} width={192} height={192} />
    </Fold>
  );
}

const [WIDTH, HEIGHT] = [120, 24];

/** The course of the kinetic energy. */
function Energy({ name, energy }: { name: string; energy: readonly number[] }) {
  const most = Math.max(...energy, 0);
  const step = WIDTH / Math.max(1, energy.length - 1);
  const points = energy.map((value, at) => `${at * step},${HEIGHT - (value / (most || 1)) * HEIGHT}`);
  const label = simulationMessages.energy(name, most);
  return (
    <figure className={styles.energy}>
      <figcaption className="detail">{label}</figcaption>
      <svg viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <polyline points={points.join(' ')} />
      </svg>
    </figure>
  );
}
