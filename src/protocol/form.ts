import { z } from 'zod';

/**
 * What a field of a form takes: `choice` takes one of the field's choices, `choices` takes several of them, and `other`
 * takes any JSON value, because CBOS does not know the field's schema.
 */
export const FormFieldType = z.enum(['text', 'number', 'integer', 'boolean', 'choice', 'choices', 'other']);
export type FormFieldType = z.infer<typeof FormFieldType>;

export const FormChoice = z
  .object({
    value: z.string(),
    title: z.string().meta({ description: 'The value itself if the server names no title' }),
  })
  .meta({ id: 'FormChoice' });
export type FormChoice = z.infer<typeof FormChoice>;

const FORMATS = {
  email: z.email(),
  uri: z.url(),
  date: z.iso.date(),
  'date-time': z.iso.datetime({ offset: true }),
} as const;
export type FormFormat = keyof typeof FORMATS;

export function isOfFormat(format: FormFormat, text: string): boolean {
  return FORMATS[format].safeParse(text).success;
}

const FieldValue = z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]);

export const FormField = z
  .object({
    name: z.string().meta({ description: 'The name by which an answer sets the field' }),
    type: FormFieldType,
    title: z.string().nullable(),
    description: z.string().nullable(),
    required: z.boolean(),
    default: FieldValue.optional().meta({ description: 'The value of a field that the answer does not set' }),
    choices: z.array(FormChoice).optional(),
    format: z.enum(Object.keys(FORMATS) as [FormFormat, ...FormFormat[]]).optional(),
    min: z.number().optional().meta({
      description: 'The smallest number, the fewest characters of a text, or the fewest choices',
    }),
    max: z.number().optional().meta({ description: 'The largest number, the most characters, or the most choices' }),
  })
  .meta({ id: 'FormField' });
export type FormField = z.infer<typeof FormField>;

/** What an MCP server asks: a form to be filled in, or a page to be opened in a browser. */
export const Form = z
  .object({
    mode: z.enum(['form', 'url']),
    server: z.string().meta({ description: 'The name of the MCP server' }),
    url: z.string().optional().meta({
      description: 'In the mode `url`: the address that the user is asked to open. CBOS never opens it',
    }),
    fields: z.array(FormField),
    at_terminal: z.literal(true).optional().meta({
      description: "The form is open in the session's terminal, so its fields can be filled in only there",
    }),
    accepted: z.literal(true).optional().meta({
      description:
        "In the mode `url`: the user has accepted in the session's terminal, and Claude Code waits until the server confirms that the user is done; a no ends the waiting",
    }),
    left: z.literal(true).optional().meta({
      description: 'The turn in which the server asked is over, so the server may no longer wait for the answer',
    }),
    call_over: z.literal(true).optional().meta({
      description: 'The call in which the server asked has ended, so an answer would come too late and is refused',
    }),
  })
  .meta({ id: 'Form' });
export type Form = z.infer<typeof Form>;

/**
 * Reports whether numbers choose the options of a question. They do not if the only option declines a form, because
 * such a number would look like the value of a field.
 */
export function takesNumbers({
  form,
  options,
}: {
  form?: Form | undefined;
  options: readonly { means: string }[];
}): boolean {
  return form === undefined || options.some(({ means }) => means !== 'no');
}

/** Returns the only field of a form whose answer is one of a few values, or null if the form is not that simple. */
export function onlyChoice({ fields: [field, ...others] }: Form): FormField | null {
  if (field === undefined || others.length > 0) return null;
  return field.type === 'choice' || field.type === 'boolean' ? field : null;
}
