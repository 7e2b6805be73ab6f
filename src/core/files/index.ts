export { safeFileName, typeOfName } from './file-name.ts';
export { isMentionable, mentionFiles } from './mention.ts';
