import { useSignal } from '@preact/signals';
import type { ImageType } from '../../protocol/index.ts';
import { formatSize } from '../../text/recording-words.ts';

/**
 * Shows an image and its size. The type comes from the server, which knows it from the first bytes, so nothing else can
 * be drawn.
 */
export function Picture(props: {
  image: ImageType;
  /** the bytes in base64 */
  content: string;
  bytes: number;
  /** names the image for people who do not see it */
  alt: string;
}) {
  const { image, content, bytes, alt } = props;
  const pixels = useSignal('');
  return (
    <figure class="picture">
      <img
        src={`data:${image};base64,${content}`}
        alt={alt}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          pixels.value = `${naturalWidth} × ${naturalHeight} pixels, `;
        }}
        onError={() => {
          pixels.value = 'damaged, cannot be drawn, ';
        }}
      />
      <figcaption class="faint">
        {pixels.value}
        {formatSize(bytes)}
      </figcaption>
    </figure>
  );
}
