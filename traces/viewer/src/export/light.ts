// The light colours of palette.css, for pictures: these stand alone, mostly on white paper, whatever the page looks like.
// test/export.test.ts compares the two.
export const light: Record<string, string> = {
  '--card': '#ffffff', '--ink': '#1b1f24', '--soft': '#545d68', '--line': '#d3d5d9', '--edge': '#7d8590', '--accent': '#0a58a6',
  '--on': '#ffffff', '--leads': '#0a62a9', '--stands': '#a84a00', '--waits': '#9a3f75', '--follows': '#00704f', '--idle': '#5f6875',
  '--glow': '#fff3c4',
  '--down': '#6b6f76', '--amber': '#855800', '--red': '#b3261e', '--flight': '#5840a8', '--upkeep': '#636c78', '--epoch-0': '#7cc4ec',
  '--epoch-1': '#e9a820', '--epoch-2': '#4db894', '--epoch-3': '#db9cc0', '--epoch-4': '#ede05a', '--epoch-5': '#84a9e4',
  '--epoch-6': '#ee8e55', '--epoch-7': '#b4b9c0',
};

export function lightColour(name: string): string { return light[name] ?? '#000000'; }
