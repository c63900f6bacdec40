import { useQuery } from '@tanstack/react-query';
import { assetMessages as text } from '../../messages/asset.ts';
import { messages } from '../../messages.ts';
import { Copyable } from '../../parts/copyable.tsx';
import { ModalButton } from '../../parts/modal.tsx';
import { FailureNotice } from '../../parts/notices.tsx';

/** The button that gives the code of a frame with the asset of this page, for pages elsewhere. */
export function EmbedAsset() {
  return <ModalButton label={text.embed}>{() => <Frame />}</ModalButton>;
}

/** The service has the code: it knows whether other sites may show its assets. */
function Frame() {
  const page = location.href;
  const { data, error, refetch } = useQuery({ queryKey: ['embed', page], queryFn: () => readFrame(page) });
  if (error) return <FailureNotice error={error} onRetry={() => refetch()} />;
  if (data === undefined) return <p>{messages.loading}</p>;
  if (data === null) return <p>{text.noEmbed}</p>;
  return (
    <>
      <p>{text.embedDetail}</p>
      <Copyable text={data} label="HTML" />
    </>
  );
}

/** Returns null where no frame is offered. */
async function readFrame(page: string): Promise<string | null> {
  const answer = await fetch(`/oembed?url=${encodeURIComponent(page)}`, { credentials: 'omit' });
  if (answer.status === 404) return null;
  if (!answer.ok) throw new Error(`${answer.status} ${answer.statusText}`);
  return ((await answer.json()) as { html: string }).html;
}
