"""Random scenes under all five methods, to find silent exceptions: runs that end as a plain success although their physics is wrong.

    python3 -m sweep SCREE [--method NAME] [--count N] [--seed N] [--only INDEX] [--state FOLDER] [--report FILE]     from tests/validation

A scene follows from the seed, its method and its index alone (`scenes`, in the words of each method: `dialects`). `judges` say what is wrong with a
run by its curves, its frames and textbook formulas; they ask neither its verdict nor its doubts. `running` runs one scene, `report` writes the sections.

A run may be refused, fail or end with doubts. It may not end as a plain success while

  - it has steps that were not solved,
  - its energies, added up here, are off by more than 1 % of the largest of them, a dissipated energy falls, or a numerical loss is a gain,
  - it begins with another kinetic energy than its bodies' masses and velocities have,
  - free bodies' common centre of mass leaves its straight line,
  - bodies are in each other, in an obstacle or behind a wall by more than a tenth of their thickness, or have passed through each other,
  - a part of the rig went farther than its gap to a specimen and never felt a force, or a tenth of what an elastic body answers with,
  - a block on a slope moves otherwise than Coulomb's law has it,
  - the check foresaw less than a third or more than three times the processor time or the memory that it took,

nor may it crash, hang or leave no curves."""
