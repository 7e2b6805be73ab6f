import { KeyHelp } from './key-help.tsx';
import { overlay } from './overlay.ts';
import { Palette } from './palette.tsx';

export function Overlays() {
  switch (overlay.value) {
    case 'help':
      return <KeyHelp />;
    case 'palette':
      return <Palette />;
    case null:
      return null;
  }
}
