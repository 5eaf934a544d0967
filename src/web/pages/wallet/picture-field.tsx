import { useId, useState } from 'react';
import { useAttempt } from '../../api/attempt.ts';
import { call } from '../../api/client.ts';
import { Refusal } from '../../app/refusal.tsx';
import { FieldLabel } from '../../ui/form.tsx';
import styles from './wallet.module.css';

/** Chooses a picture and uploads it at once; `onUploaded` gets its id. */
export function PictureField({
  isOptional,
  onUploaded,
}: {
  readonly isOptional?: boolean;
  onUploaded(imageId: string | null): void;
}) {
  const id = useId();
  const [name, setName] = useState<string | null>(null);
  const { isBusy, problem, make } = useAttempt();
  const upload = (file: File) =>
    make(async () => {
      setName(null);
      onUploaded(null);
      const body = new Uint8Array(await file.arrayBuffer());
      const { imageId, bytes } = await call('POST /api/web3/memelaunch/image', { body });
      setName(`${file.name}, ${Math.ceil(bytes / 1_024)} KB`);
      onUploaded(imageId);
    });
  return (
    <div className={styles['form']}>
      <FieldLabel label="Picture" isOptional={isOptional} htmlFor={id} />
      <input
        id={id}
        className={styles['file']}
        type="file"
        accept="image/png,image/jpeg,image/gif,image/webp"
        aria-describedby={`${id}-note`}
        aria-busy={isBusy}
        onChange={(event) => {
          const file = event.target.files?.[0];
          if (file !== undefined) void upload(file);
        }}
      />
      <span id={`${id}-note`} className="faint">
        {isBusy
          ? 'Uploading…'
          : name === null
            ? 'A PNG, JPEG, GIF or WebP. It is kept where anybody can read it, for good.'
            : `Uploaded: ${name}`}
      </span>
      <Refusal problem={problem} what="picture" />
    </div>
  );
}
