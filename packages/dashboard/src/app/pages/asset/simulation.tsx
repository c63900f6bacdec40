import type { AssetDetail, MadeCertificate } from '@bindery/contract';
import { CERTIFIED_KINDS, routes } from '@bindery/contract/wire';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messages } from '../../messages.ts';
import { InlineError } from '../../parts/inline-error.tsx';
import { assetQuery, type LibraryKey } from '../../queries.ts';
import { service } from '../../session.ts';
import styles from './simulation.module.css';

/** How a robot behaved in simulation, and for members a way to have the service simulate it. */
export function Simulation({
  library,
  asset,
  mayCertify,
}: {
  library: LibraryKey;
  asset: AssetDetail;
  mayCertify: boolean;
}) {
  const text = messages.simulation;
  const queries = useQueryClient();
  const certificates = asset.certificates ?? [];
  const isCertified = certificates.some(({ madeBy }) => madeBy === 'service');
  const { namespace, library: name, release } = library;
  const certify = useMutation({
    mutationFn: () =>
      service.call(routes.libraries.certifyAsset, {
        params: { namespace, name, assetId: asset.id },
        query: release === undefined ? {} : { release },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: assetQuery(library, asset.id).queryKey }),
  });
  const canCertify = mayCertify && !isCertified;
  if (!CERTIFIED_KINDS.has(asset.kind) || (certificates.length === 0 && !canCertify)) return null;
  return (
    <section className={styles.simulation} aria-label={text.heading}>
      <h2 className={styles.heading}>{text.heading}</h2>
      {certificates.map((certificate) => (
        <Certificate key={certificate.madeBy} certificate={certificate} />
      ))}
      {canCertify && (
        <button
          type="button"
          className={styles.button}
          disabled={certify.isPending}
          onClick={() => certify.mutate()}
        >
          {certify.isPending ? text.running : text.certify}
        </button>
      )}
      {certify.error && <InlineError error={certify.error} />}
    </section>
  );
}

function Certificate({ certificate }: { certificate: MadeCertificate }) {
  const text = messages.simulation;
  const { verdict, madeBy, mujoco, problems, losses, engines = [], pictureUrl, rest, control } = certificate;
  return (
    <div className={styles.certificate}>
      <p>
        <strong className={verdict === 'passed' ? styles.passed : styles.failed}>{text[verdict]}</strong>{' '}
        <span className={styles.detail}>{text.made(mujoco, madeBy)}</span>
      </p>
      {rest && <Energy name={text.rest} energy={rest.energy} />}
      {control && <Energy name={text.control} energy={control.energy} />}
      {problems.length > 0 && (
        <ul className={styles.problems}>
          {problems.map(({ code, message }) => (
            <li key={`${code} ${message}`}>
              {message} <code>{code}</code>
            </li>
          ))}
        </ul>
      )}
      {losses.length > 0 && (
        <p className={styles.detail}>{text.without(losses.map(({ what }) => what).join(', '))}</p>
      )}
      {engines.length > 0 && (
        <ul className={styles.problems} aria-label={text.engines}>
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
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className={styles.detail}>{messages.simulation.watch}</summary>
      {isOpen && (
        <img className={styles.run} src={url} alt={messages.simulation.run} width={192} height={192} />
      )}
    </details>
  );
}

const [WIDTH, HEIGHT] = [120, 24];

/** The course of the kinetic energy. */
function Energy({ name, energy }: { name: string; energy: readonly number[] }) {
  const most = Math.max(...energy, 0);
  const step = WIDTH / Math.max(1, energy.length - 1);
  const points = energy.map((value, at) => `${at * step},${HEIGHT - (value / (most || 1)) * HEIGHT}`);
  const label = messages.simulation.energy(name, most);
  return (
    <figure className={styles.energy}>
      <figcaption>{label}</figcaption>
      <svg viewBox={`0 -1 ${WIDTH} ${HEIGHT + 2}`} preserveAspectRatio="none" role="img" aria-label={label}>
        <polyline points={points.join(' ')} />
      </svg>
    </figure>
  );
}
