import { formQuestion } from '../../src/core/status/form-question.ts';
import type { Form, Question, Session } from '../../src/protocol/index.ts';
import { asking } from './some-sessions.ts';

const words = { title: null, description: null, required: false };

/** A form with a text, a number with a default, and a choice that is required. */
export const SOME_FORM: Form = {
  mode: 'form',
  server: 'deploy',
  fields: [
    {
      ...{ ...words, name: 'environment', type: 'choice', title: 'Environment', required: true },
      choices: [
        { value: 'staging', title: 'Staging' },
        { value: 'production', title: 'Production' },
      ],
    },
    { ...words, name: 'count', type: 'integer', default: 2, min: 1, max: 5 },
    { ...words, name: 'note', type: 'text' },
  ],
};

/** A form with one choice. */
export const SOME_CHOICE: Form = {
  ...SOME_FORM,
  fields: [{ ...words, name: 'ok', type: 'boolean', title: 'Deploy', required: true }],
};

/** A form with an address. */
export const someAddress = (url: string): Form => ({ mode: 'url', server: 'deploy', url, fields: [] });

const someFormQuestion = (form: Form): Question =>
  formQuestion({ id: 'form-1', message: 'Where should it go?', form, askedAt: Date.parse('2026-11-20T15:00:00Z') });

/** A session that asks to fill in a form. */
export const askingForm = (form: Form): Partial<Session> => asking(someFormQuestion(form));
