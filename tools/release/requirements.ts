interface Machine {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  hasCommand(name: string): boolean;
}

/** Why the image cannot be checked on this machine, or null. */
export function missingRequirement({ platform, isRoot, hasCommand }: Machine): string | null {
  if (platform !== 'linux' || !isRoot) return 'release:image needs Linux and root.';
  const missing = ['buildah', 'debootstrap'].filter((name) => !hasCommand(name));
  return missing.length === 0
    ? null
    : `release:image needs ${missing.join(' and ')}: apt-get install ${missing.join(' ')}`;
}
