"""Networks whose archives PyTorch writes and cannot load: some node has no source range there."""

from kit import model
from vision_kit import scripted


@model(loadable=False)
def efficientnet_b0():
    return scripted("efficientnet_b0")


@model(loadable=False)
def efficientnet_v2_s():
    return scripted("efficientnet_v2_s")


@model(loadable=False)
def convnext_tiny():
    return scripted("convnext_tiny")
