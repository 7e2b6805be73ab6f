import { z } from 'zod';

/** The maximum size of a file's content in a response. */
export const MOST_CONTENT_BYTES = 2 * 1024 * 1024;

/** The images that every browser draws without running anything. SVG is not one of them; it is text. */
export const ImageType = z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
export type ImageType = z.infer<typeof ImageType>;

/** The content of a file in a response: text as text, and everything else as base64. */
export const FileContent = z.object({
  encoding: z.enum(['utf-8', 'base64']).nullable().meta({ description: 'base64 if the file is not text in UTF-8' }),
  content: z.string().nullable().meta({
    description: "A file's content, or a link's target, which is not followed; null for anything else, or if not saved",
  }),
  cut: z.boolean().meta({ description: 'true if the content was cut off after 2 MB' }),
  image: ImageType.nullable().meta({
    description: 'The type of image, as recognized by its first bytes; null if the file is no such image, or was cut',
  }),
});
export type FileContent = z.infer<typeof FileContent>;
