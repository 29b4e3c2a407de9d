# The first thing a newcomer runs. All it makes lies in build/demo.

demo: setup ## build, start screed, crush a hollow grain, say where its curves and the dashboard are
	@$(MAKE) --no-print-directory -j$(JOBS) all
	@deploy/demo.sh start $(B)
demo-stop: ## stop the screed that the demo left running
	@deploy/demo.sh stop $(B)

.PHONY: demo demo-stop

gallery-pictures: ## run every scene of the gallery and take its picture again (some minutes); SCENES="a b" does these only
	@$(MAKE) --no-print-directory -j$(JOBS) all
	node web/gallery_pictures.mjs $(SCENES)
.PHONY: gallery-pictures
