# Speed. Never part of a test: machines are shared and noisy.

WRITE_REPORT := $(PYTHON) tests/write_report.py
bench: bench-peridem bench-bdem-fem bench-lsdem ## measure speed, LAMMPS, CalculiX and Yade beside it; rewrites tests/reports/bench/PERIDEM.md, REPORT.md and LSDEM.md
.PHONY: bench-bdem-fem

bench-bdem-fem: lint-setup ## speed of methods bdem and fem and of their linear solvers, CalculiX beside it; rewrites tests/reports/bench/REPORT.md
	@$(MAKE) --no-print-directory -j$(JOBS) $(addprefix $(B)/tests/bench/bench_,bdem linalg fem fem_steps)
	$(WRITE_REPORT) tests/reports/bench/REPORT.md sh -ec '$(B)/tests/bench/bench_bdem; echo; $(B)/tests/bench/bench_linalg; echo; $(B)/tests/bench/bench_fem; echo; $(B)/tests/bench/bench_fem_steps'

bench-lsdem: ## speed of method lsdem, Yade's level sets in turns with it where Yade is installed, and 10,000 grains in a drum; rewrites tests/reports/bench/LSDEM.md
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/bench/bench_lsdem $(B)/tests/bench/bench_lsdem_drum
	$(WRITE_REPORT) tests/reports/bench/LSDEM.md $(PYTHON) tests/comparisons/lsdem_yade.py $(B)/tests/bench/bench_lsdem $(B)/tests/bench/bench_lsdem_drum

CONTACT_PROBLEMS := $(B)/contact-problems
bench-peridem: lint-setup ## speed of method peridem, LAMMPS beside it, and what bounds it; rewrites tests/reports/bench/PERIDEM.md; PART=whole,
# stages, kernels, roofline, scaling or sums prints that alone
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/bench/bench_peridem
	$(if $(PART),,$(WRITE_REPORT) tests/reports/bench/PERIDEM.md) $(B)/tests/bench/bench_peridem $(PART)

bench-contact: ## contact solvers: cost per contact and sweep, auto beside its best member, growth to 15,000 contacts (bench_contact_growth 100000 goes farther, for an hour), local solvers, siconos beside ours; rewrites tests/reports/bench/CONTACT.md
	@$(MAKE) --no-print-directory -j$(JOBS) all $(B)/tests/bench/bench_contact $(B)/tests/bench/bench_contact_auto $(B)/tests/bench/bench_contact_local $(B)/tests/bench/bench_contact_growth $(B)/tests/bench/bench_contact_choice
	SCREE_BUILD=$(B) $(PYTHON) tests/bench/record_contacts.py $(CONTACT_PROBLEMS)
	$(WRITE_REPORT) tests/reports/bench/CONTACT.md sh -ec '$(B)/tests/bench/bench_contact; echo; $(B)/tests/bench/bench_contact_auto; echo; $(B)/tests/bench/bench_contact_choice; echo; $(B)/tests/bench/bench_contact_growth 20000; echo; \
	  $(B)/tests/bench/bench_contact_local 20 $(CONTACT_PROBLEMS)/*; echo; export SCREE_BUILD=$(B) OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1; \
	  /usr/bin/python3 tests/comparisons/contact_siconos.py tests/data/dcfp $(CONTACT_PROBLEMS)/* --each 5; echo; \
	  /usr/bin/python3 tests/bench/contact_steps.py 10; echo; /usr/bin/python3 tests/bench/contact_steps.py 22 --steps 61 --last 1 --limit 120'

bench-contact-problems: ## contact problems of 75 scenes, recorded from scenes of fibres and rigid bodies, by all solvers, half an hour, and auto beside its members; rewrites tests/reports/bench/CONTACT_PROBLEMS.md; PART=all or members for one of both; FILES=1 writes the problems alone, as FCLIB files
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/bench/bench_contact_problems
	@mkdir -p $(B)/recorded-problems/files
	$(PYTHON) tests/bench/contact_problem_scenes.py $(B)/recorded-problems >$(B)/recorded-problems/list.txt
	$(if $(FILES),$(B)/tests/bench/bench_contact_problems $(B)/recorded-problems/list.txt files $(B)/recorded-problems/files)
	$(if $(FILES),,for part in $(or $(PART),all members); do $(WRITE_REPORT) tests/reports/bench/CONTACT_PROBLEMS.md $(B)/tests/bench/bench_contact_problems $(B)/recorded-problems/list.txt $$part || exit 1; done)
.PHONY: bench-contact-problems

bench-rigid: lint-setup ## method rigid: detection and whole steps of 10^3 to 10^5 balls in a drum; rewrites tests/reports/bench/RIGID.md
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/bench/bench_rigid
	$(WRITE_REPORT) tests/reports/bench/RIGID.md $(B)/tests/bench/bench_rigid

bench-fibre: ## method fibre: a groom of 10 to 2000 hairs at rest that is shaken, by stage; rewrites tests/reports/bench/FIBRE.md; ARGUMENTS="-k FOLDER" keeps grooms at rest in a folder, "-t 2" takes two threads
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/bench/bench_fibre
	$(WRITE_REPORT) tests/reports/bench/FIBRE.md $(B)/tests/bench/bench_fibre $(ARGUMENTS)

bench-packs: lint-setup ## method rigid: balls, boxes and polyhedra poured and settled under each accuracy, on one thread and two, growth, heaps, at most an hour; ROWS="box-1000-draft" for some; rewrites tests/reports/bench/PACKS.md
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/bench/bench_packs
	@for row in $(or $(ROWS),$$($(B)/tests/bench/bench_packs names)); do $(WRITE_REPORT) tests/reports/bench/PACKS.md $(B)/tests/bench/bench_packs $$row || exit 1; done
	$(if $(ROWS),,$(WRITE_REPORT) tests/reports/bench/PACKS.md $(PYTHON) tests/comparisons/packs_yade.py)

bench-granular: ## method granular: stages, sweeps and whole steps of columns of 10^4 to 10^6 points on one thread and two; rewrites tests/reports/bench/GRANULAR.md; ROWS="p1054 s108" for others: those of 10^7 take some minutes
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/bench/bench_granular
	$(WRITE_REPORT) tests/reports/bench/GRANULAR.md $(B)/tests/bench/bench_granular $(ROWS)

study-gallery: ## every scene of the gallery, whole: how it ends, run time and memory beside what the check foresees; rewrites tests/reports/bench/GALLERY.md; METHOD="rigid fem" for some
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/scree
	$(WRITE_REPORT) tests/reports/bench/GALLERY.md $(PYTHON) tests/studies/study_gallery.py $(B)/scree {} $(addprefix --method ,$(METHOD))
.PHONY: study-gallery

bench-coarsening: ## how much quicker calibrated coarse meshes are than fine ones, and how near; rewrites tests/reports/bench/COARSENING.md
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(WRITE_REPORT) tests/reports/bench/COARSENING.md $(PYTHON) tests/bench/bench_coarsening.py $(B)/scree

bench-compare: ## whole runs of this build against another's in turns, to some 3 %: OLD=/path/to/its/scree, TURNS=8, SCENES="a.json ..."
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(PYTHON) tests/bench/compare.py $(OLD) $(B)/scree $(SCENES) $(if $(TURNS),--turns $(TURNS))

bench-viewers: ## delays and memory of up to 1,000 viewers of one live run; rewrites tests/reports/bench/VIEWERS.md
	@$(MAKE) --no-print-directory -j$(JOBS) all $(B)/tests/bench/bench_viewers
	SCREE_BUILD=$(B) $(WRITE_REPORT) tests/reports/bench/VIEWERS.md $(PYTHON) tests/bench/bench_viewers.py $(B)/tests/bench/bench_viewers {}

bench-store: ## lists, searches, claims and submissions with a million jobs in the store; rewrites tests/reports/bench/STORE.md; JOBS_STORED=N for others
	@$(MAKE) --no-print-directory -j$(JOBS) all $(B)/tests/bench/bench_store
	$(WRITE_REPORT) tests/reports/bench/STORE.md sh -ec '$(B)/tests/bench/bench_store $(or $(JOBS_STORED),1000000); echo; SCREE_BUILD=$(B) $(PYTHON) tests/bench/bench_submit.py'

study-twins: ## calibrations against curves with hidden parameters, ten tries each of rigid, bdem, peridem; rewrites tests/reports/validation/TWINS.md
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/studies/study_twins
	$(WRITE_REPORT) tests/reports/validation/TWINS.md $(B)/tests/studies/study_twins
.PHONY: study-twins

study-kills: ## kill -9 of 65 workers and 25 daemons, and what is left; rewrites tests/reports/bench/KILLS.md; SEED=N for others
	@$(MAKE) --no-print-directory -j$(JOBS) all
	SCREE_BUILD=$(B) $(WRITE_REPORT) tests/reports/bench/KILLS.md $(PYTHON) tests/studies/study_kills.py {} $(SEED)

bench-orbit: ## pictures a second while the view of 200,000 points is turned and their run goes on, software rendering
	@$(MAKE) --no-print-directory -j$(JOBS) all
	SCREE_BUILD=$(B) node tests/bench/bench_orbit.mjs

bench-draw: setup ## processor time of a picture of 195,000 points, and of 100,000 instances, software rendering
	@$(MAKE) --no-print-directory build/web/.stamp
	node tests/bench/bench_draw.mjs points
	node tests/bench/bench_draw.mjs instances

bench-web: setup ## what the dashboard costs a browser: bytes, first view, points drawn and turned, frames replayed, jobs scrolled; rewrites tests/reports/bench/WEB.md, or prints with PART=page, points, turn, replay or list; JOBS_STORED=N, FRAMES=N
	@$(MAKE) --no-print-directory -j$(JOBS) all
	SCREE_BUILD=$(B) $(if $(PART),,$(WRITE_REPORT) tests/reports/bench/WEB.md) node tests/bench/bench_web.mjs $(PART) 2>$(B)/bench-web.log
.PHONY: bench-web

study-rows: ## a study of ROWS (10000) rows whose daemon is killed KILLS (20) times; rewrites tests/reports/bench/STUDY_ROWS.md
	@$(MAKE) --no-print-directory -j$(JOBS) all
	SCREE_BUILD=$(B) $(WRITE_REPORT) tests/reports/bench/STUDY_ROWS.md $(PYTHON) tests/studies/study_rows.py {} $(or $(ROWS),10000) $(or $(KILLS),20)
.PHONY: study-rows
study-optimizers: ## compare the optimizers of implicit bonded-sphere steps; rewrites tests/reports/bench/OPTIMIZERS.md and its pictures
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/studies/study_optimizers
	$(WRITE_REPORT) tests/reports/bench/OPTIMIZERS.md $(PYTHON) tests/studies/study_optimizers.py $(B)/tests/studies/study_optimizers {}

study-table1: ## the rows of the bonded-DEM paper's table 1, explicit against implicit; rewrites tests/reports/bench/TABLE1.md; ROW=NAME runs one again
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/studies/study_table1
	$(WRITE_REPORT) tests/reports/bench/TABLE1.md $(PYTHON) tests/studies/study_table1.py $(B)/tests/studies/study_table1 {} $(B)/table1 $(ROW)

study-scale: ## the bonded beam at three resolutions, beside the bonded-DEM paper's table 2; rewrites tests/reports/bench/TABLE2.md
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(WRITE_REPORT) tests/reports/bench/TABLE2.md $(PYTHON) tests/studies/study_scale.py $(B)/scree {}

study-costs: ## fits the tables of costs behind estimated run times to runs of the gallery; rewrites tests/reports/bench/COSTS.md
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/scree
	$(WRITE_REPORT) tests/reports/bench/COSTS.md $(PYTHON) tests/studies/study_costs.py $(B)/scree {}
study-estimates: ## run times of bonded spheres as the check foresees them and as they are; rewrites tests/reports/bench/ESTIMATES.md
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(WRITE_REPORT) tests/reports/bench/ESTIMATES.md $(PYTHON) tests/studies/study_estimates.py $(B)/scree {}

SWEEP_WORDS = $(if $(SEED),--seed $(SEED)) $(if $(COUNT),--count $(COUNT)) $(addprefix --method ,$(METHOD))
sweep: ## 300 random scenes per method, none may go wrong without a word; rewrites tests/reports/validation/SWEEP.md, goes on where it was ended; METHOD="rigid fem", SEED=N, COUNT=N for others
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/scree
	cd tests/validation && nice -n 10 $(PYTHON) -m sweep $(abspath $(B))/scree --report ../reports/validation/SWEEP.md --state $(abspath $(B))/sweep $(SWEEP_WORDS)

round-robin: ## standard experiments under every method at three resolutions beside references; rewrites tests/reports/validation/ROUND_ROBIN.md; ONLY=part: these sections alone
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/scree
	cd tests/validation && SCREE_BUILD=$(B) $(PYTHON) -m round_robin $(if $(ONLY),--only $(ONLY))

# The command line with kernels as a processor without AVX runs them: same-physics records by it what can be foreseen on other processors.
PLAIN_OBJECTS := $(patsubst core/%.c,$(B)/obj/plain/%.o,$(shell grep -rl --include='*.c' __builtin_cpu_supports core/linalg core/methods))
$(B)/obj/plain/%.o: core/%.c $(B)/stamps/compile
	@mkdir -p $(@D)
	$(call short,CC,$< plain)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -Wno-error '-D__builtin_cpu_supports(x)=0' -MMD -MP -c $< -o $@
$(B)/scree-plain: $(PLAIN_OBJECTS) $(B)/obj/api/cli/main_scree.o $(B)/libscree-cli.a $(LIBS) $(B)/stamps/link
	$(call short,LINK,$@)
	$(Q)$(CC) $(LDFLAGS) $(PARTS) $(CORE_LIBS) $(CLI_LIBS) -o $@

same-physics-builds: ## short runs of an older gallery under two builds: OLD=/path/to/its/build/scree; rewrites tests/reports/validation/SAME_PHYSICS.md
	@$(MAKE) --no-print-directory -j$(JOBS) all
	PYTHONPATH=tests/validation $(WRITE_REPORT) tests/reports/validation/SAME_PHYSICS.md $(PYTHON) tests/validation/same_physics_builds.py $(OLD) $(B)/scree --report {}
.PHONY: same-physics-builds

same-physics: ## short runs of the gallery give the curves and frames recorded earlier, bit by bit or, on other processors, to 1e-9: SCENE=NAME for one; RECORD=1 records them anew, RECORD=values values alone
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/scree $(if $(RECORD),$(B)/scree-plain)
	$(PYTHON) tests/validation/same_physics.py $(B)/scree $(addprefix --scene ,$(SCENE)) $(if $(RECORD),--record) $(if $(filter values,$(RECORD)),--values)

.PHONY: study-slurm bench-fibre round-robin bench-coarsening study-costs study-estimates same-physics bench bench-lsdem bench-peridem bench-contact bench-rigid bench-orbit bench-draw bench-compare bench-store study-kills bench-viewers sweep study-optimizers study-table1 study-scale

study-slurm: ## a study of 60 runs by a real Slurm, while controller, node daemon and screed are killed; rewrites tests/reports/bench/SLURM.md
	@$(MAKE) --no-print-directory -j$(JOBS) all
	$(WRITE_REPORT) tests/reports/bench/SLURM.md $(PYTHON) tests/studies/study_slurm.py {}

study-ranks: ## peridem on 1 to 8 ranks, the same bytes, and the time of a step on one and two; rewrites tests/reports/bench/SCALE.md
	@$(MAKE) --no-print-directory -j$(JOBS) all
	SCREE_BUILD=$(B) $(PYTHON) tests/studies/study_ranks.py
study-large: ## 22 million nodes of peridem on two ranks: memory, time of a step; rewrites that section of tests/reports/bench/SCALE.md
	@$(MAKE) --no-print-directory -j$(JOBS) all
	SCREE_BUILD=$(B) $(PYTHON) tests/studies/study_ranks.py --large
.PHONY: study-ranks study-large
study-devices: all ## every scene of the gallery of peridem and of bdem's explicit steps on the processor and on a device, the same bytes; rewrites tests/reports/bench/DEVICES.md
	$(WRITE_REPORT) tests/reports/bench/DEVICES.md $(PYTHON) tests/studies/study_devices.py $(B)/scree {} $(if $(DEVICE),--device $(DEVICE))
.PHONY: study-devices
study-kalthoff: ## what the angle of Kalthoff and Winkler's cracks hangs on, one thing changed at a time; rewrites tests/reports/bench/KALTHOFF.md
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/tests/studies/study_kalthoff
	$(WRITE_REPORT) tests/reports/bench/KALTHOFF.md $(B)/tests/studies/study_kalthoff
study-aggregate: ## 400 and 1000 irregular grains crushed, an hour; rewrites tests/reports/bench/AGGREGATE.md; PACKINGS=400:3,600:3,1000:3 for others
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/scree
	$(WRITE_REPORT) tests/reports/bench/AGGREGATE.md $(PYTHON) tests/studies/study_aggregate.py $(B)/scree {} $(if $(PACKINGS),--packings $(PACKINGS))
.PHONY: study-kalthoff study-aggregate
study-lsdem: ## the paper's figures drawn again and the five ways to follow modes compared; rewrites tests/reports/validation/LSDEM.md and its pictures
	@$(MAKE) --no-print-directory -j$(JOBS) $(B)/scree $(B)/tests/bench/bench_lsdem_follow
	$(WRITE_REPORT) tests/reports/validation/LSDEM.md $(PYTHON) tests/studies/study_lsdem.py $(B)/scree $(B)/tests/bench/bench_lsdem_follow {}
.PHONY: study-lsdem

reports-age: ## sections of committed reports that are older than the code they speak of, the oldest first
	@$(PYTHON) tests/reports_age.py
reports-plan: ## what to run so that no section is more than 20 commits of its code behind, and the time it took last
	@$(PYTHON) tests/reports_age.py --plan
.PHONY: reports-age reports-plan

build-time: all test-binaries ## processor seconds of a build from clean without a compiler cache, by folder, from every 10th command; EVERY=3: from each third
	$(PYTHON) deploy/build_time.py -n $(or $(EVERY),10)
.PHONY: build-time
