// Small pictures on buttons. They are drawn here: a font may lack them. None says anything that no word says.
const paths = {
  play: 'M5 3l9 5-9 5z', stop: 'M4 3h3v10H4zM9 3h3v10H9z', back: 'M10 3v10L4 8zM11 3h2v10h-2z', on: 'M6 3v10l6-5zM3 3h2v10H3z',
  first: 'M3 3h2v10H3zM13 3v10L6 8z', last: 'M11 3h2v10h-2zM3 3v10l7-5z',
  phase: 'M2 3l4 5-4 5zM7 3l4 5-4 5zM12.500 3h2v10h-2z',
  close: 'M4 3l4 4 4-4 1 1-4 4 4 4-1 1-4-4-4 4-1-1 4-4-4-4z',
  light: 'M8 4.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7zM7.300 0h1.400v3H7.300zM7.300 13h1.400v3H7.300zM0 7.300h3v1.400H0zM13 7.300h3v1.400h-3zM2 3l1-1 2.100 2.100-1 1zM10.900 11.900l1-1L14 13l-1 1zM2 13l2.100-2.100 1 1L3 14zM10.900 4.100L13 2l1 1-2.100 2.100z',
  dark: 'M6 1a7 7 0 1 0 9 9A7 7 0 0 1 6 1z',
  branch: 'M4 2a2 2 0 0 1 .8 3.800v4.400a2 2 0 1 1-1.600 0V5.800A2 2 0 0 1 4 2zM12 2a2 2 0 0 1 .8 3.800C12.800 9 10 9 6 9.500V8c3.500-.5 5.200-.5 5.200-2.200A2 2 0 0 1 12 2z',
} as const;

export function Icon({ name }: { name: keyof typeof paths }) {
  return <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false"><path d={paths[name]} fill="currentColor" /></svg>;
}
